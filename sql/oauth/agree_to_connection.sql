-- name: agree_to_connection
-- why: stores a user's consent under a code; no row if the account has too many agents
-- Codes that never became a key count until they are removed, so that the table can't be filled.
-- :code_hash bytea
-- :account_id uuid
-- :client_id text
-- :client_name text
-- :redirect_uri text
-- :challenge bytea
-- :daily_nanos bigint
-- :feed_ids uuid[]?
-- :key_ends_at timestamptz
-- :actor text
-- :agreed_key_id uuid?
-- :agents_max int
-- returns happened_at timestamptz
insert into agent_connections (
  code_hash, account_id, client_id, client_name, redirect_uri, challenge, daily_nanos, feed_ids,
  key_ends_at, actor, agreed_key_id
)
select
  :code_hash::bytea,
  :account_id::uuid,
  :client_id::text,
  :client_name::text,
  :redirect_uri::text,
  :challenge::bytea,
  :daily_nanos::bigint,
  :feed_ids::uuid[],
  :key_ends_at::timestamptz,
  :actor::text,
  :agreed_key_id::uuid
where (
  (select count(*) from agents_of(:account_id))
  + (
    select count(*)
    from agent_connections as waiting
    where waiting.account_id = :account_id
      and waiting.key_id is null
  )
) < :agents_max::int
returning happened_at
