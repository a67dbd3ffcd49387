-- Creates a key of an account, by its hash.
--
-- Outcomes: created, not_for_reading (a budget or scope on a key that can't read)
create or replace function create_key(
  owner_id uuid, -- :account_id
  new_hash bytea, -- :key_hash
  new_start text, -- :key_start
  new_permission text, -- :permission
  new_name text, -- :name?
  new_end timestamptz, -- :expires_at?
  new_daily_nanos bigint, -- :daily_nanos?
  new_feed_ids uuid[], -- :feed_ids?
  actor text, -- :actor?
  out outcome text, -- :outcome
  out made_key uuid -- :key_id?
)
language plpgsql
as $$
declare
  violated text;
begin
  perform act_as(actor);
  insert into api_keys (
    account_id, key_hash, key_start, permission, name, expires_at, daily_nanos, feed_ids
  )
  values (
    owner_id, new_hash, new_start, new_permission, new_name, new_end, new_daily_nanos, new_feed_ids
  )
  returning key_id into made_key;
  outcome := 'created';
exception when check_violation then
  get stacked diagnostics violated = constraint_name;
  if violated <> 'api_keys_limits_of_reading' then
    raise;
  end if;
  outcome := 'not_for_reading';
end
$$;
