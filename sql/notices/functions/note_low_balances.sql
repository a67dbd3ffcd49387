-- Notifies accounts whose balance has fallen below their threshold, once until it has been above the threshold again.
-- An account that was never seen above it is not notified.
create or replace function note_low_balances(moment timestamptz, threshold_default bigint)
returns void
language sql
as $$
  with seen as materialized (
    select
      accounts.account_id,
      accounts.balance_nanos,
      coalesce(known.threshold_nanos, threshold_default) as threshold_nanos,
      known.is_low as was_low,
      accounts.balance_nanos < coalesce(known.threshold_nanos, threshold_default) as is_low
    from (
      select account_id from members
      union
      select account_id from webhooks where permission = 'read'
    ) as told
    join accounts
      on accounts.account_id = told.account_id
    left join low_balances as known
      on known.account_id = told.account_id
  ),
  marked as (
    insert into low_balances as known (account_id, is_low)
    select seen.account_id, seen.is_low
    from seen
    where seen.is_low is distinct from seen.was_low
    order by seen.account_id
    on conflict (account_id) do update
    set is_low = excluded.is_low
  )
  insert into notices (type, permission, account_id, data, happened_at)
  select
    'balance.low', 'read', seen.account_id,
    json_build_object(
      'balance_credits', trim_scale(seen.balance_nanos * 0.001),
      'threshold_credits', trim_scale(seen.threshold_nanos * 0.001)
    ),
    moment
  from seen
  where seen.is_low
    and not seen.was_low
$$;
