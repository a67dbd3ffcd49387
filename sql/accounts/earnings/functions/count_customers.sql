-- Updates the counts of customers for days on which accounts were customers. The days must be in customer_days both
-- when they are added (sign 1, after the insert) and when they are removed (sign -1, before the delete).
--
-- Each such day counts once, together with the account's previous customer day. Without it, the account's next day
-- would have another previous day.
create or replace function count_customers(days customer_days[], sign int)
returns void
language sql
as $$
  with given as (
    select scope_id, account_id, day
    from unnest(days)
  ),
  following as (
    select distinct given.scope_id, given.account_id, later.day
    from given
    cross join lateral (
      select known.day
      from customer_days as known
      where known.scope_id = given.scope_id
        and known.account_id = given.account_id
        and known.day > given.day
      order by known.day
      limit 1
    ) as later
    where not exists (
      select
      from given as other
      where (other.scope_id, other.account_id, other.day)
        = (given.scope_id, given.account_id, later.day)
    )
  ),
  moved as (
    select given.scope_id, given.day, with_them.previous_day, 1 as accounts
    from given
    cross join lateral (
      select coalesce(max(known.day), '-infinity') as previous_day
      from customer_days as known
      where known.scope_id = given.scope_id
        and known.account_id = given.account_id
        and known.day < given.day
    ) as with_them
    union all
    select following.scope_id, following.day, before.previous_day, before.accounts
    from following
    cross join lateral (
      select coalesce(max(known.day), '-infinity') as previous_day, 1 as accounts
      from customer_days as known
      where known.scope_id = following.scope_id
        and known.account_id = following.account_id
        and known.day < following.day
      union all
      select coalesce(max(known.day), '-infinity'), -1
      from customer_days as known
      where known.scope_id = following.scope_id
        and known.account_id = following.account_id
        and known.day < following.day
        and not exists (
          select
          from given
          where (given.scope_id, given.account_id, given.day)
            = (known.scope_id, known.account_id, known.day)
        )
    ) as before
  )
  insert into customer_counts as known (scope_id, day, previous_day, accounts)
  select scope_id, day, previous_day, sign * sum(accounts)
  from moved
  group by scope_id, day, previous_day
  having sum(accounts) <> 0
  order by scope_id, day, previous_day
  on conflict (scope_id, day, previous_day) do update
  set accounts = known.accounts + excluded.accounts
$$;
