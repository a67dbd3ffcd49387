-- The given sessions that may still view pages: session and key are valid, the account is not suspended, and the key is
-- not an agent's.
create or replace function usable_sessions(session_hashes bytea[])
returns table (
  session_hash bytea,
  permission text,
  key_id uuid,
  key_name text,
  sealed_key text,
  is_own_key boolean,
  expires_at timestamptz,
  account_id uuid,
  account_name text
)
language sql
stable
as $$
  select
    sessions.session_hash,
    sessions.permission,
    sessions.key_id,
    coalesce(admin_keys.name, api_keys.name),
    sessions.sealed_key,
    sessions.is_own_key,
    sessions.expires_at,
    accounts.account_id,
    accounts.name
  from console_sessions as sessions
  left join admin_keys
    on admin_keys.key_id = sessions.key_id
    and sessions.permission = 'admin'
    and is_usable_key(admin_keys.revoked_at, admin_keys.expires_at, clock_timestamp())
  left join api_keys
    on api_keys.key_id = sessions.key_id
    and api_keys.permission = sessions.permission
    and is_usable_key(api_keys.revoked_at, api_keys.expires_at, clock_timestamp())
    and not exists (
      select from agent_connections as connected
      where connected.account_id = api_keys.account_id
        and connected.key_id = api_keys.chain_id
    )
  left join accounts
    on accounts.account_id = api_keys.account_id
    and accounts.suspension_reason is null
  where sessions.session_hash = any (session_hashes)
    and sessions.expires_at > now()
    and (admin_keys.key_id is not null or accounts.account_id is not null)
$$;
