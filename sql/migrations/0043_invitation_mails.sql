-- Mails of invitations, to accounts and to read feeds, are limited by address. The limits outlive the invitations.

-- When an account's newest invitation to an address was mailed. It is removed when the limits no longer count it.
create table invitation_mails (
  -- SHA-256 of the address in lower case, so that no address outlives its person here.
  address_hash bytea not null,
  -- Without a reference: adding one would lock accounts, which reads update.
  account_id uuid not null,
  happened_at timestamptz not null default clock_timestamp(),
  primary key (address_hash, account_id),
  constraint invitation_mails_hash_is_sha256 check (octet_length(address_hash) = 32)
);

create index invitation_mails_happened_at on invitation_mails (happened_at);
