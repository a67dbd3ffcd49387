-- Credits that accounts pay for by themselves, such as by a link for a card.

create table topups (
  topup_id uuid primary key default gen_random_uuid(),
  -- Null until it is known, if somebody without a key pays.
  account_id uuid references accounts,
  -- The key that asked.
  key_id uuid,
  -- card, x402
  way text not null,
  status text not null default 'waiting',
  -- What is to be paid, and what is granted for it: credits are dollars in another unit.
  amount_nanos bigint not null,
  -- The payment as the way names it, such as a Checkout session; null until it is begun.
  payment_id text,
  -- Where a person pays; null if there is no such page.
  pay_url text,
  -- What the way needs beside this to find the payment again.
  details json not null default '{}',
  -- SHA-256 of the account's Idempotency-Key.
  idempotency_hash bytea,
  created_at timestamptz not null default now(),
  -- Until when it can be paid. What was paid by then, and is confirmed later, is granted all the same.
  expires_at timestamptz not null,
  -- When it was granted, or expired.
  ended_at timestamptz,
  -- The grant.
  entry_id bigint references credit_ledger,
  -- What refunds and disputes have taken from the balance again, and what the balance had not.
  taken_back_nanos bigint not null default 0,
  unrecovered_nanos bigint not null default 0,
  -- What an operator has to look at; null: nothing.
  alert text,
  -- When the way is asked next what became of the payment, how often it was, and why it did not answer last.
  due_at timestamptz not null,
  attempts integer not null default 0,
  last_error text,
  constraint topups_way_known check (way in ('card', 'x402')),
  constraint topups_status_known check (status in ('waiting', 'granted', 'expired')),
  constraint topups_amount_positive check (amount_nanos > 0),
  constraint topups_granted_has_entry check ((status = 'granted') = (entry_id is not null)),
  constraint topups_ended_at_given check ((status = 'waiting') = (ended_at is null)),
  constraint topups_taken_back_range check (
    taken_back_nanos >= 0
    and unrecovered_nanos >= 0
    and taken_back_nanos + unrecovered_nanos <= amount_nanos
  ),
  constraint topups_idempotency_hash_is_sha256 check (octet_length(idempotency_hash) = 32)
);

-- A payment is for one top-up.
create unique index topups_payment on topups (way, payment_id) where payment_id is not null;

create unique index topups_idempotency on topups (account_id, idempotency_hash)
where idempotency_hash is not null;

-- Lists them, and counts those of a day.
create index topups_created_at on topups (created_at, topup_id);
create index topups_account_id on topups (account_id, created_at);

-- Finds those that the way is asked about.
create index topups_due on topups (due_at) where status = 'waiting';

create index topups_alerts on topups (created_at) where alert is not null;

-- What a source, such as a dispute, says that the payer has got back of a top-up. It may say so before the top-up is
-- granted.
create table topup_take_backs (
  topup_id uuid not null references topups,
  -- refunds, or the id of a dispute
  source text not null,
  -- A message of a lower rank than this is an old one.
  rank integer not null,
  total_nanos bigint not null,
  primary key (topup_id, source),
  constraint topup_take_backs_total_not_negative check (total_nanos >= 0)
);
