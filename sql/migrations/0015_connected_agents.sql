-- Agents that people connect by OAuth: the programs that may ask, and what people have agreed to.

create table connect_clients (
  client_id uuid primary key default gen_random_uuid(),
  -- As the program calls itself, which nobody has checked.
  client_name text not null,
  redirect_uris text[] not null,
  -- When it registered. The job that forgets unused ones goes by this name.
  happened_at timestamptz not null default now(),
  -- Whether a person has ever connected an agent with it.
  is_used boolean not null default false
);

-- Counts and finds the registrations that are forgotten.
create index connect_clients_unused on connect_clients (happened_at) where not is_used;

-- What a person has agreed to: first a code, and once that is redeemed, a key. A key that was made by a rotation of it
-- is found by its chain.
create table agent_connections (
  -- SHA-256. The code itself is never stored.
  code_hash bytea primary key,
  account_id uuid not null references accounts,
  -- The id of a registration, or the address of a client's metadata document.
  client_id text not null,
  client_name text not null,
  redirect_uri text not null,
  -- SHA-256 of the verifier. RFC 7636.
  challenge bytea not null,
  daily_nanos bigint not null,
  feed_ids uuid[],
  key_ends_at timestamptz not null,
  -- Who agreed, for the audit trail.
  actor text not null,
  happened_at timestamptz not null default clock_timestamp(),
  -- Whether the code has come, with or without success.
  is_spent boolean not null default false,
  key_id uuid references api_keys,
  constraint agent_connections_code_is_sha256 check (octet_length(code_hash) = 32),
  constraint agent_connections_challenge_is_sha256 check (octet_length(challenge) = 32),
  constraint agent_connections_spent_first check (is_spent or key_id is null)
);

create unique index agent_connections_key_id on agent_connections (key_id) where key_id is not null;
create index agent_connections_account_id on agent_connections (account_id);

-- Finds the codes that never became a key.
create index agent_connections_unredeemed on agent_connections (happened_at) where key_id is null;
