-- Persons, who join without an operator: their proven addresses, accounts, sessions, invitations, and mails.

-- A person is known by an e-mail address that it has proven.
create table persons (
  person_id uuid primary key default gen_random_uuid(),
  -- As it was typed, with the domain in ASCII.
  address text not null,
  -- The same in lower case, by which addresses are compared.
  address_key text not null,
  name text not null,
  created_at timestamptz not null default now(),
  -- When a code that was sent to the address came back; null: only an OpenID Connect provider has vouched for it.
  mail_proven_at timestamptz,
  -- When the person agreed to the operator's terms; null: there were none to agree to.
  agreed_at timestamptz,
  constraint persons_address_unique unique (address_key),
  constraint persons_name_length check (char_length(name) between 1 and 200)
);

-- Who a person is at an OpenID Connect provider. An address may move to another subject, which is another person.
create table person_subjects (
  issuer text not null,
  subject text not null,
  person_id uuid not null references persons on delete cascade,
  primary key (issuer, subject),
  constraint person_subjects_one_of_issuer unique (person_id, issuer)
);

-- What a person may do with an account. An account that has members has an owner.
create table members (
  account_id uuid not null references accounts,
  person_id uuid not null references persons on delete cascade,
  role text not null,
  happened_at timestamptz not null default clock_timestamp(),
  primary key (account_id, person_id),
  constraint members_role_known check (role in ('owner', 'member'))
);

create index members_person_id on members (person_id);

-- Addresses that an account's owner or an operator has invited. Whoever proves the address may accept.
create table invitations (
  invitation_id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts,
  address text not null,
  address_key text not null,
  role text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  constraint invitations_once unique (account_id, address_key),
  constraint invitations_role_known check (role in ('owner', 'member'))
);

create index invitations_address_key on invitations (address_key);

-- Attempts to prove an address. Each belongs to the browser that has its token, so a code is of no use elsewhere.
create table address_proofs (
  -- SHA-256 of the token in the browser's cookie, which is stored nowhere.
  proof_hash bytea primary key,
  address text not null,
  address_key text not null,
  -- SHA-256 of the token and the code; null: an OpenID Connect provider has vouched for the address.
  code_hash bytea,
  issuer text,
  subject text,
  -- As the provider calls the person.
  name text,
  -- Of the browser, for the limits by network.
  network text not null,
  happened_at timestamptz not null default clock_timestamp(),
  tries integer not null default 0,
  expires_at timestamptz not null,
  -- When the address was proven.
  proven_at timestamptz,
  -- When the person signed in with it. It does so once.
  used_at timestamptz,
  constraint address_proofs_hash_is_sha256 check (octet_length(proof_hash) = 32),
  constraint address_proofs_one_way check ((code_hash is null) = (issuer is not null)),
  constraint address_proofs_subject_of_issuer check ((issuer is null) = (subject is null))
);

-- Removes and counts old ones; counts those of an address and a network.
create index address_proofs_happened_at on address_proofs (happened_at);
create index address_proofs_address_key on address_proofs (address_key, happened_at);
create index address_proofs_network on address_proofs (network, happened_at);

-- Accounts that people have made for themselves, for the limits by day and by network.
create table sign_ups (
  account_id uuid primary key references accounts,
  network text not null,
  welcome_nanos bigint not null,
  happened_at timestamptz not null default clock_timestamp()
);

create index sign_ups_happened_at on sign_ups (happened_at);
create index sign_ups_network on sign_ups (network, happened_at);

-- Addresses that have had welcome credits, so that nobody gets them twice by closing an account.
create table welcomes (
  -- HMAC-SHA-256 of the address with the gateway's secret.
  address_hash bytea primary key,
  -- Null once the person is removed.
  person_id uuid references persons on delete set null,
  -- A year after the person was removed. Null: it is still there.
  happened_at timestamptz,
  constraint welcomes_hash_is_sha256 check (octet_length(address_hash) = 32)
);

create index welcomes_person_id on welcomes (person_id);
create index welcomes_happened_at on welcomes (happened_at);

-- Sessions of persons in the console. A session acts in one account at a time, with keys of its own.
create table person_sessions (
  -- SHA-256 of the token in the cookie, which is stored nowhere.
  session_hash bytea primary key,
  person_id uuid not null references persons on delete cascade,
  account_id uuid references accounts,
  read_key_id uuid references api_keys,
  write_key_id uuid references api_keys,
  -- The keys themselves, which can be read with the cookie's token only.
  sealed_read_key text,
  sealed_write_key text,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  constraint person_sessions_keys_of_account check (
    num_nulls(account_id, read_key_id, write_key_id, sealed_read_key, sealed_write_key) in (0, 5)
  )
);

create index person_sessions_person_id on person_sessions (person_id);
create index person_sessions_account_id on person_sessions (account_id);
create index person_sessions_expires_at on person_sessions (expires_at);

-- Mails that wait to be sent. One that was sent is removed.
create table mails (
  mail_id uuid primary key default gen_random_uuid(),
  -- Whom it is for, if that person is known. Its mails go with the person.
  person_id uuid references persons on delete cascade,
  address text not null,
  subject text not null,
  body_text text not null,
  body_html text not null,
  created_at timestamptz not null default clock_timestamp(),
  -- When it is not worth sending any more.
  expires_at timestamptz not null,
  -- When it is tried next. While a process sends it, the end of that process's turn.
  next_at timestamptz not null default clock_timestamp(),
  attempts integer not null default 0,
  -- Why the last attempt failed.
  last_error text
);

create index mails_next_at on mails (next_at);
create index mails_person_id on mails (person_id);
create index mails_address on mails (lower(address));

-- Whether the key was made for a session of a person. No list of keys shows it, and no limit of keys counts it.
alter table api_keys
  add column for_session boolean not null default false;

-- When the account was closed. It stays, with its usage and ledger, under its id.
alter table accounts
  add column closed_at timestamptz;

-- Keys of sessions come and go with sign-ins, which change nothing of the account.
drop trigger api_keys_audited_insert on api_keys;
create trigger api_keys_audited_insert
after insert on api_keys
for each row
when (not new.for_session)
execute function note_audit('key');

drop trigger api_keys_audited_update on api_keys;
create trigger api_keys_audited_update
after update of name, expires_at, revoked_at, daily_nanos, feed_ids on api_keys
for each row
when (
  not new.for_session
  and (old.name, old.expires_at, old.revoked_at, old.daily_nanos, old.feed_ids)
    is distinct from (new.name, new.expires_at, new.revoked_at, new.daily_nanos, new.feed_ids)
)
execute function note_audit('key');
