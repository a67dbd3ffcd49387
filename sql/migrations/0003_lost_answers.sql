-- Reads whose grant was committed, perhaps, and whose answer was an error: what finds and refunds them.

-- Batches of reads that were answered with an error, since their connection died. Such a batch may
-- still be on its way: admit refuses one that is written down here.
create table lost_batches (
  batch_token text primary key,
  lost_at timestamptz not null default now(),
  constraint lost_batches_token_form check (batch_token ~ '^[0-9a-f]{12}$')
);

create index lost_batches_lost_at on lost_batches (lost_at);

-- The batches whose answers carry the usage event, but those that are known to be lost: where none is
-- left, no client has seen the event, and it is refunded. The first eight are enough to tell.
alter table idempotency_keys
  add column batch_tokens text[] not null default '{}',
  add constraint idempotency_keys_tokens_few check (cardinality(batch_tokens) <= 8);
