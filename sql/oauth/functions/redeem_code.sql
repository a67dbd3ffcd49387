-- Creates the key for a user's consent.
--
-- A code is spent when it is presented, whatever is sent with it, so that a second verifier can't be tried. If it is
-- presented again, someone else may have it, so the key that was created for it ends, with all keys created from it by
-- rotation. RFC 6749, 4.1.2.
--
-- A code is withdrawn with the key that agreed, or if the person who agreed is no longer an owner of the account. The
-- account is locked before the code is read. So a revocation, an earlier end of that key, or a removal is either
-- committed first and seen here, or it sees the key that is created here.
--
-- presented_address: null if the client sends none, as OAuth 2.1 allows. Then only the verifier binds it.
--
-- Outcomes: redeemed, unknown, repeated, expired, mismatched (another client, address, or verifier), withdrawn
create or replace function redeem_code(
  presented_code bytea, -- :code_hash
  presented_client text, -- :client_id
  presented_address text, -- :redirect_uri?
  presented_challenge bytea, -- :challenge
  code_age interval, -- :code_age
  new_hash bytea, -- :key_hash
  new_start text, -- :key_start
  out outcome text, -- :outcome
  out seconds_left int -- :seconds_left?
)
language plpgsql
as $$
declare
  agreed agent_connections;
  made record;
begin
  perform
  from accounts
  where accounts.account_id = (
    select waiting.account_id from agent_connections as waiting where waiting.code_hash = presented_code
  )
  for no key update;
  select *
  into agreed
  from agent_connections
  where agent_connections.code_hash = presented_code
  for update;
  if not found then
    outcome := 'unknown';
    return;
  end if;

  if agreed.is_spent then
    perform end_chain(agreed.key_id, 'code of ' || agreed.client_name || ' used twice');
    outcome := 'repeated';
    return;
  end if;
  update agent_connections
  set is_spent = true
  where agent_connections.code_hash = presented_code;
  if agreed.happened_at < clock_timestamp() - code_age or agreed.key_ends_at <= clock_timestamp() then
    outcome := 'expired';
    return;
  end if;
  if agreed.client_id <> presented_client
    or agreed.challenge <> presented_challenge
    or agreed.redirect_uri <> coalesce(presented_address, agreed.redirect_uri)
  then
    outcome := 'mismatched';
    return;
  end if;

  if exists (
    select from api_keys as agreeing
    join api_keys as ended
      on ended.account_id = agreeing.account_id
      and ended.chain_id = agreeing.chain_id
      and ended.created_at >= agreeing.created_at
    where agreeing.key_id = agreed.agreed_key_id
      and ended.revoked_at is not null
  ) or starts_with(agreed.actor, 'console:person ') and not exists (
    select from members
    where members.account_id = agreed.account_id
      and members.role = 'owner'
      and agreed.actor = 'console:person ' || members.person_id
  ) then
    outcome := 'withdrawn';
    return;
  end if;

  select *
  into made
  from create_key(
    owner_id => agreed.account_id,
    new_hash => new_hash,
    new_start => new_start,
    new_permission => 'read',
    new_name => agreed.client_name,
    new_end => agreed.key_ends_at,
    new_daily_nanos => agreed.daily_nanos,
    new_feed_ids => agreed.feed_ids,
    actor => agreed.actor
  );
  update agent_connections
  set key_id = made.made_key
  where agent_connections.code_hash = presented_code;
  update connect_clients
  set is_used = true
  where connect_clients.client_id::text = agreed.client_id
    and not connect_clients.is_used;
  outcome := 'redeemed';
  seconds_left := floor(extract(epoch from agreed.key_ends_at - clock_timestamp()));
end
$$;
