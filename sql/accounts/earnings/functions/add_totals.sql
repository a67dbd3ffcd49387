-- Adds amounts to the totals of the whole gateway, by minute and by day.
--
-- moments, names, amounts: of the same length
create or replace function add_totals(
  moments timestamptz[],
  names text[],
  amounts bigint[],
  now_at timestamptz
)
returns void
language sql
as $$
  with added as materialized (
    select
      date_trunc('minute', given.moment, 'UTC') as minute,
      given.name,
      sum(given.amount)::bigint as amount
    from unnest(moments, names, amounts) as given (moment, name, amount)
    group by 1, given.name
  ),
  minutes as (
    insert into minute_totals as known (minute, name, amount)
    select minute, name, amount
    from added
    where minute >= now_at - minutes_kept()
    order by minute, name
    on conflict (minute, name) do update
    set amount = known.amount + excluded.amount
  )
  insert into day_totals as known (day, name, amount)
  select (minute at time zone 'UTC')::date as day, name, sum(amount)
  from added
  group by 1, name
  order by 1, name
  on conflict (day, name) do update
  set amount = known.amount + excluded.amount
$$;
