-- Adds usage to the spending of its accounts by day, feed, and key, and to the totals of the whole gateway.
create or replace function add_usage(used key_usage[], now_at timestamptz)
returns void
language sql
as $$
  insert into spending_days as known (
    account_id, day, feed_id, key_id, reads, purchases, charged_nanos, refunded_nanos
  )
  select
    account_id,
    (minute at time zone 'UTC')::date as day,
    feed_id,
    key_id,
    sum(reads),
    sum(purchases),
    sum(charged_nanos),
    sum(refunded_nanos)
  from unnest(used)
  where feed_id is not null
    and (reads <> 0 or purchases <> 0 or charged_nanos <> 0 or refunded_nanos <> 0)
  group by account_id, day, feed_id, key_id
  order by account_id, day, feed_id, key_id
  on conflict (account_id, day, feed_id, key_id) do update
  set reads = known.reads + excluded.reads,
    purchases = known.purchases + excluded.purchases,
    charged_nanos = known.charged_nanos + excluded.charged_nanos,
    refunded_nanos = known.refunded_nanos + excluded.refunded_nanos;

  select add_totals(array_agg(minute), array_agg(name), array_agg(amount), now_at)
  from (
    select used_minutes.minute, part.name, sum(part.amount)::bigint as amount
    from unnest(used) as used_minutes
    cross join lateral (
      values
        ('reads', used_minutes.reads),
        ('discovery_calls', used_minutes.discovery_calls),
        ('purchases', used_minutes.purchases),
        ('charged_nanos', used_minutes.charged_nanos),
        ('refunded_nanos', used_minutes.refunded_nanos)
    ) as part (name, amount)
    where part.amount <> 0
    group by used_minutes.minute, part.name
  ) as named
$$;
