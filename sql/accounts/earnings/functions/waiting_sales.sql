-- What `count_sales` would count now: sales that are not in the daily totals yet, and later changes of counted ones.
--
-- buyer_id: only this account. Null: all accounts whose version shows that there is something new
create or replace function waiting_sales(buyer_id uuid)
returns table (
  feed_id uuid,
  -- The time that determines the day on which it counts.
  counts_at timestamptz,
  -- The time that determines its rate.
  sold_at timestamptz,
  reads int,
  paid_reads int,
  purchases int,
  gross_nanos bigint,
  refunded_nanos bigint
)
language sql
stable
as $$
  with lines as materialized (
    select
      accounts.account_id,
      coalesce(counted.counted_to, '00000000-0000-0000-0000-000000000000') as counted_to,
      counted.version is distinct from accounts.version as has_moved
    from accounts
    left join counted_accounts as counted
      on counted.account_id = accounts.account_id
    where buyer_id is null
      or accounts.account_id = buyer_id
  ),
  changes as materialized (
    select sale_changes.*
    from sale_changes
    join lines
      on lines.account_id = sale_changes.account_id
    where sale_changes.usage_id is null
      or sale_changes.usage_id <= lines.counted_to
        and (
          sale_changes.kind = 'late'
          or not exists (
            select
            from sale_changes as late
            where late.kind = 'late'
              and late.usage_id = sale_changes.usage_id
          )
        )
  ),
  reads as materialized (
    select event.usage_id, event.feed_id, event.charge_nanos, event.refunded, event.happened_at
    from lines
    cross join lateral (
      select usage_id, operation, feed_id, charge_nanos, refunded, failed, happened_at
      from usage_events
      where usage_events.account_id = lines.account_id
        and usage_events.usage_id > lines.counted_to
    ) as event
    where (lines.has_moved or lines.account_id = buyer_id)
      and event.operation in ('data', 'stream', 'export')
      and event.feed_id is not null
      and not event.failed
    union all
    select event.usage_id, event.feed_id, event.charge_nanos, event.refunded, event.happened_at
    from changes
    join usage_events as event
      on event.account_id = changes.account_id
      and event.usage_id = changes.usage_id
    where changes.kind = 'late'
      and event.operation in ('data', 'stream', 'export')
      and event.feed_id is not null
      and not event.failed
  )
  select feed_id, happened_at, happened_at, 1, (charge_nanos > 0)::int, 0, charge_nanos, 0::bigint
  from reads
  union all
  select reads.feed_id, refund.created_at, reads.happened_at, 0, 0, 0, 0, reads.charge_nanos
  from reads
  join credit_ledger as refund
    on refund.reference = 'refund:' || reads.usage_id
  where reads.refunded
  union all
  select
    feed_id,
    case when kind = 'refunded' then changed_at else sold_at end,
    sold_at,
    -(kind = 'failed')::int,
    -(kind = 'failed' and amount_nanos > 0)::int,
    (kind = 'purchased')::int,
    case kind when 'purchased' then amount_nanos when 'failed' then -amount_nanos else 0 end,
    case when kind = 'refunded' then amount_nanos else 0 end
  from changes
  where kind <> 'late'
$$;
