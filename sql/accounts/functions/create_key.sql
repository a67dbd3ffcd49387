-- Creates a key of an account, by its hash.
--
-- Outcomes: created, not_for_reading (a budget or scope on a key that can't read)
create or replace function create_key(
  owner_id uuid,
  new_hash bytea,
  new_start text,
  new_permission text,
  new_name text,
  new_end timestamptz,
  new_daily_nanos bigint,
  new_feed_ids uuid[],
  actor text,
  out outcome text,
  out made_key uuid
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
