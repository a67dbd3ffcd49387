-- The ledger check remembers what it has proven, so that it sums only what has come since.

-- The last proof of each account's ledger. Its sums are the account's part of `ledger_proof`.
create table proven_accounts (
  account_id uuid primary key references accounts,
  -- The versions of `accounts` and `counted_accounts` that were proven. If both are current, so is the proof.
  version bigint not null,
  counted_version bigint,
  granted_nanos bigint not null,
  revoked_nanos bigint not null,
  charged_nanos bigint not null,
  refunded_nanos bigint not null,
  balance_nanos bigint not null,
  is_wrong boolean not null,
  -- The last event of the log that was summed, and the sum up to it. Null: the log was empty.
  summed_to uuid,
  summed_nanos bigint not null,
  -- When the whole log was last summed.
  summed_at timestamptz not null
)
with (fillfactor = 50);

create index proven_accounts_wrong on proven_accounts (account_id)
where is_wrong;
