-- Changes a key that is not revoked, or revokes it together with the agents that it has connected. If the key is made
-- to end earlier, so are its agents.
--
-- Who may end a key:
--   an operator: every key (src/operator/keys.ts)
--   an owner (src/pages/console/person/acting_owner.ts): the account's keys, except those of sessions and agents
--     (src/people/account_keys.ts)
--   a read key that belongs to no agent: the account's agents (src/consumer/end_agent.ts)
--   an agent: itself (src/consumer/end_agent.ts)
-- Keys also end when an account is closed (all of them), when somebody signs out (the session's), when a member is
-- removed (those of the agents that the member connected), and when an agent's code is presented twice (the agent's).
--
-- A budget belongs to the whole chain of rotations, so that a key in its grace period can't spend more than its
-- successor. It applies to all of the current day, whatever it was before, so the amount spent starts with the usage
-- log's total since midnight for all keys of the chain.
--
-- fields: the fields to change, as one JSON object: name, expires_at, revoked_at, daily_nanos, feed_ids; null clears a
--   field
--
-- Outcomes: edited, not_usable (there is no such key, or it is revoked), not_for_reading (a budget or scope on a key
-- that can't read)
create or replace function edit_key(
  edited_key uuid, -- :key_id
  fields json, -- :fields
  actor text, -- :actor?
  out outcome text -- :outcome
)
language plpgsql
as $$
declare
  previous_end timestamptz;
  edited api_keys;
  violated text;
begin
  perform act_as(actor);
  perform lock_account_of_key(edited_key);
  previous_end := (select api_keys.expires_at from api_keys where api_keys.key_id = edited_key);
  update api_keys
  set (name, expires_at, revoked_at, daily_nanos, feed_ids) = (
    select
      wanted.name, wanted.expires_at, wanted.revoked_at, wanted.daily_nanos, wanted.feed_ids
    from json_populate_record(api_keys, fields) as wanted
  )
  where api_keys.key_id = edited_key
    and api_keys.revoked_at is null
  returning api_keys.* into edited;
  if not found then
    outcome := 'not_usable';
    return;
  end if;
  outcome := 'edited';
  if edited.revoked_at is not null then
    perform end_agents_of(edited_key, actor);
  elsif edited.expires_at < coalesce(previous_end, 'infinity') then
    perform shorten_agents_of(edited_key, edited.expires_at, actor);
  end if;
  if fields -> 'daily_nanos' is null then
    return;
  end if;

  update api_keys
  set daily_nanos = edited.daily_nanos
  where api_keys.account_id = edited.account_id
    and api_keys.chain_id = edited.chain_id
    and api_keys.revoked_at is null
    and api_keys.daily_nanos is distinct from edited.daily_nanos;
  if edited.daily_nanos is null then
    delete from key_spending
    where key_spending.account_id = edited.account_id
      and key_spending.key_id = edited.chain_id;
    return;
  end if;
  insert into key_spending as known (account_id, key_id, day, spent_nanos)
  select
    edited.account_id,
    edited.chain_id,
    today.day,
    (
      select coalesce(sum(usage_events.charge_nanos), 0)
      from usage_events
      where usage_events.account_id = edited.account_id
        and usage_events.usage_id >= uuid_from_time(to_timestamp(today.day * 86400.0))
        and usage_events.key_id in (
          select keys.key_id
          from api_keys as keys
          where keys.account_id = edited.account_id
            and keys.chain_id = edited.chain_id
        )
        and not usage_events.failed
    )
  from (select utc_day(epoch_us(clock_timestamp())) as day) as today
  on conflict (account_id, key_id) do update
  set day = excluded.day,
    spent_nanos = excluded.spent_nanos;
exception when check_violation then
  get stacked diagnostics violated = constraint_name;
  if violated <> 'api_keys_limits_of_reading' then
    raise;
  end if;
  outcome := 'not_for_reading';
end
$$;
