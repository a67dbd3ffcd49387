-- Adds the sales since the last run to the daily totals of providers, to the spending of accounts, and to the totals of
-- the whole gateway. Returns true if more is left.
--
-- It adds no cost to a charged read, and no sale is missed or counted twice, in whatever order transactions commit. An
-- account's events are written under the account's lock, which is held until the commit. So if one of them is visible,
-- so are all of the account's events with smaller ids, and a line for each account (`counted_accounts`) separates what
-- was counted from what was not. The versions of accounts show which ones have changed. Two things break that order,
-- and both are recorded in `sale_changes`: events that were late because the clock was set back, and later changes of
-- an event.
--
-- One statement reads lines, log, and changes in one snapshot, and moves the lines. For an event after its line, the
-- log itself is complete, so a change of it is dropped. An event before its line was counted as it was then, so its
-- change is counted. `run_job` lets one process at a time do this. If the process is killed, the step is rolled back.
--
-- moment: totals are complete until shortly before it, because a read takes its time before it is committed
-- event_limit: the most events of the log that a step counts. Changes are few, and are all counted
create or replace function count_sales(moment timestamptz, event_limit int)
returns boolean
language plpgsql
as $$
#variable_conflict use_column
declare
  -- Longer than a statement of a gateway may take.
  writing_time constant interval := '15 seconds';
  complete_until constant timestamptz := least(moment - writing_time, oldest_writer_since());
  event_count int;
  sales customer_sales[];
  used key_usage[];
begin
  -- The rate can't change in the meantime: see keep_fee_rate.
  perform pg_advisory_xact_lock_shared(7306929);

  with changed as materialized (
    select
      accounts.account_id,
      accounts.version,
      coalesce(counted.counted_to, '00000000-0000-0000-0000-000000000000') as counted_to
    from accounts
    left join counted_accounts as counted
      on counted.account_id = accounts.account_id
    where counted.version is distinct from accounts.version
  ),
  fresh as materialized (
    select event.*
    from changed
    cross join lateral (
      select
        account_id, usage_id, operation, feed_id, key_id, charge_nanos, refunded, failed, happened_at
      from usage_events
      where usage_events.account_id = changed.account_id
        and usage_events.usage_id > changed.counted_to
      order by usage_events.usage_id
      limit event_limit
    ) as event
    limit event_limit
  ),
  lines as (
    select account_id, max(usage_id::text)::uuid as counted_to, count(*) as events
    from fresh
    group by account_id
  ),
  taken as (
    delete from sale_changes
    returning *
  ),
  -- Excludes changes of events after their line, and changes of late events, which are counted with the events.
  changes as (
    select
      taken.*,
      event.operation,
      event.key_id,
      event.operation in ('data', 'stream', 'export') as is_of_read
    from taken
    left join counted_accounts as counted
      on counted.account_id = taken.account_id
    left join usage_events as event
      on event.account_id = taken.account_id
      and event.usage_id = coalesce(taken.usage_id, taken.purchase_id)
    where taken.usage_id is null
      or taken.usage_id <= counted.counted_to
        and (
          taken.kind = 'late'
          or not exists (
            select
            from taken as late
            where late.kind = 'late'
              and late.usage_id = taken.usage_id
          )
        )
  ),
  events as (
    select
      account_id, usage_id, operation, feed_id, key_id, charge_nanos, refunded, failed, happened_at
    from fresh
    union all
    select
      event.account_id, event.usage_id, event.operation, event.feed_id, event.key_id,
      event.charge_nanos, event.refunded, event.failed, event.happened_at
    from changes
    join usage_events as event
      on event.account_id = changes.account_id
      and event.usage_id = changes.usage_id
    where changes.kind = 'late'
  ),
  reads as (
    select *
    from events
    where operation in ('data', 'stream', 'export')
      and feed_id is not null
      and not failed
  ),
  -- Each with the day on which it counts, and the time of the sale, which determines the rate.
  movements as (
    select
      account_id, feed_id, happened_at as counts_at, happened_at as sold_at,
      1 as reads, (charge_nanos > 0)::int as paid_reads, 0 as purchases,
      charge_nanos as gross_nanos, 0::bigint as refunded_nanos
    from reads
    union all
    select
      reads.account_id, reads.feed_id, refund.created_at, reads.happened_at, 0, 0, 0, 0,
      reads.charge_nanos
    from reads
    join credit_ledger as refund
      on refund.reference = 'refund:' || reads.usage_id
    where reads.refunded
    union all
    select
      account_id, feed_id,
      case when kind = 'refunded' then changed_at else sold_at end,
      sold_at,
      -(kind = 'failed')::int,
      -(kind = 'failed' and amount_nanos > 0)::int,
      (kind = 'purchased')::int,
      case kind when 'purchased' then amount_nanos when 'failed' then -amount_nanos else 0 end,
      case when kind = 'refunded' then amount_nanos else 0 end
    from changes
    where kind in ('purchased', 'refunded')
      or kind = 'failed' and is_of_read
  ),
  -- Usage by account, feed, and key. A feed that was paid for elsewhere has no event.
  uses as (
    select
      account_id, feed_id, key_id, happened_at as counts_at,
      (operation in ('data', 'stream', 'export'))::int as reads,
      (operation in ('catalog', 'search', 'metadata'))::int as discovery_calls,
      (operation = 'purchase')::int as purchases,
      charge_nanos as charged_nanos, 0::bigint as refunded_nanos
    from events
    where not failed
    union all
    select
      reads.account_id, reads.feed_id, reads.key_id, refund.created_at, 0, 0, 0, 0,
      reads.charge_nanos
    from reads
    join credit_ledger as refund
      on refund.reference = 'refund:' || reads.usage_id
    where reads.refunded
    union all
    select
      account_id, feed_id, key_id,
      case when kind = 'refunded' then changed_at else sold_at end,
      -(kind = 'failed' and is_of_read)::int,
      -(kind = 'failed' and not is_of_read)::int,
      0,
      case when kind = 'failed' then -amount_nanos else 0 end,
      case when kind = 'refunded' then amount_nanos else 0 end
    from changes
    where kind in ('failed', 'refunded')
      and operation is not null
  ),
  rates as materialized (
    select
      since,
      coalesce(lead(since) over (order by since), 'infinity') as until,
      rate_millionths
    from fee_rates
  ),
  sums as materialized (
    select
      movements.account_id,
      movements.feed_id,
      (movements.counts_at at time zone 'UTC')::date as day,
      sum(movements.reads)::bigint as reads,
      sum(movements.paid_reads)::bigint as paid_reads,
      sum(movements.purchases)::bigint as purchases,
      sum(movements.gross_nanos)::bigint as gross_nanos,
      sum(movements.refunded_nanos)::bigint as refunded_nanos,
      sum((movements.gross_nanos - movements.refunded_nanos)::numeric * rates.rate_millionths)
        as fee_parts
    from movements
    join rates
      on movements.sold_at >= rates.since
      and movements.sold_at < rates.until
    group by movements.account_id, movements.feed_id, day
  ),
  paid as (
    select account_id, sum(gross_nanos - refunded_nanos)::bigint as paid_nanos
    from sums
    group by account_id
  ),
  moved as (
    insert into counted_accounts as known (account_id, version, counted_to, paid_nanos)
    select
      account_id,
      -- If the step is full, it is unknown which accounts have more events.
      case when (select count(*) from fresh) < event_limit then changed.version end,
      coalesce(lines.counted_to, changed.counted_to, '00000000-0000-0000-0000-000000000000'),
      coalesce(paid.paid_nanos, 0)
    from changed
    left join lines
      using (account_id)
    full join paid
      using (account_id)
    where (select count(*) from fresh) < event_limit
      or lines.account_id is not null
      or paid.account_id is not null
    order by account_id
    on conflict (account_id) do update
    set version = excluded.version,
      counted_to = greatest(known.counted_to, excluded.counted_to),
      paid_nanos = known.paid_nanos + excluded.paid_nanos
  )
  select
    (select count(*) from fresh),
    (
      select array_agg(row(
        sums.account_id, sums.feed_id, feeds.account_id, sums.day, sums.reads, sums.paid_reads,
        sums.purchases, sums.gross_nanos, sums.refunded_nanos, sums.fee_parts
      )::customer_sales)
      from sums
      join feeds
        on feeds.feed_id = sums.feed_id
    ),
    (
      select array_agg(row(
        account_id, feed_id, key_id, minute, reads, discovery_calls, purchases, charged_nanos,
        refunded_nanos
      )::key_usage)
      from (
        select
          account_id, feed_id, key_id, date_trunc('minute', counts_at, 'UTC') as minute,
          sum(reads) as reads, sum(discovery_calls) as discovery_calls, sum(purchases) as purchases,
          sum(charged_nanos) as charged_nanos, sum(refunded_nanos) as refunded_nanos
        from uses
        group by account_id, feed_id, key_id, minute
      ) as by_minute
    )
  into event_count, sales, used;

  if sales is not null then
    perform add_earnings(sales);
  end if;
  if used is not null then
    perform add_usage(used, moment);
  end if;
  if event_count < event_limit then
    insert into totals_progress (name, complete_until)
    values ('sales', complete_until)
    on conflict (name) do update
    set complete_until = excluded.complete_until;
  end if;
  return event_count = event_limit;
end
$$;
