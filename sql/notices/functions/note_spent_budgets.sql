-- Notifies accounts when a key has spent its daily budget, once a day for each chain of keys. A budget counts as spent
-- if the rest is less than the key's last charge. Purchases are ignored there, because their price says nothing about
-- the cost of the next call.
create or replace function note_spent_budgets(moment timestamptz)
returns void
language sql
as $$
  with spent as (
    select keys.account_id, keys.chain_id, keys.key_id, keys.name, keys.daily_nanos, spending.day, spending.spent_nanos
    from (
      select account_id from members
      union
      select account_id from webhooks where permission = 'read'
    ) as told
    join api_keys as keys
      on keys.account_id = told.account_id
      and keys.daily_nanos > 0
      and is_usable_key(keys.revoked_at, keys.expires_at, moment)
    join key_spending as spending
      on spending.account_id = keys.account_id
      and spending.key_id = keys.chain_id
      and spending.day = utc_day(epoch_us(moment))
      and spending.spent_nanos > keys.daily_nanos / 2
    where spending.spent_nanos >= keys.daily_nanos
      or spending.spent_nanos + (
        select events.charge_nanos
        from usage_events as events
        where events.account_id = keys.account_id
          and events.usage_id >= uuid_from_time(date_trunc('day', moment at time zone 'UTC') at time zone 'UTC')
          and events.key_id = keys.key_id
          and events.charge_nanos > 0
          and events.operation <> 'purchase'
        order by events.usage_id desc
        limit 1
      ) > keys.daily_nanos
  ),
  marked as (
    insert into spent_budgets as known (account_id, chain_id, day)
    select distinct on (spent.account_id, spent.chain_id) spent.account_id, spent.chain_id, spent.day
    from spent
    order by spent.account_id, spent.chain_id
    on conflict (account_id, chain_id) do update
    set day = excluded.day
    where known.day <> excluded.day
    returning known.account_id, known.chain_id
  )
  insert into notices (type, permission, account_id, chain_id, data, happened_at)
  select distinct on (spent.account_id, spent.chain_id)
    'budget.spent', 'read', spent.account_id, spent.chain_id,
    json_build_object(
      'key_id', spent.key_id, 'name', spent.name,
      'daily_credits', trim_scale(spent.daily_nanos * 0.001),
      'spent_credits', trim_scale(spent.spent_nanos * 0.001),
      'resets_at',
      json_time((date_trunc('day', moment at time zone 'UTC') + interval '1 day') at time zone 'UTC')
    ),
    moment
  from spent
  join marked
    on marked.account_id = spent.account_id
    and marked.chain_id = spent.chain_id
  order by spent.account_id, spent.chain_id
$$;
