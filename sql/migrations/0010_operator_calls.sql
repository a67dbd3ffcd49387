-- Calls of the operator's API that came with an Idempotency-Key, so that a repeat acts once.

create table operator_calls (
  admin_key_id uuid not null references admin_keys,
  -- SHA-256 of the Idempotency-Key, and of the route and the body that it came with.
  idempotency_hash bytea not null,
  request_hash bytea not null,
  begun_at timestamptz not null default now(),
  -- Of the answer; null until the act is done. The body can be read with the admin key and the Idempotency-Key only,
  -- since it may hold a key that was just made.
  status integer,
  sealed_body text,
  primary key (admin_key_id, idempotency_hash),
  constraint operator_calls_answered_whole check ((status is null) = (sealed_body is null))
);

-- Finds the calls that are forgotten.
create index operator_calls_begun_at on operator_calls (begun_at);
