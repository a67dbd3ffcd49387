-- What an account has paid for reads and purchases, less refunds, that `count_sales` has not counted yet.
create or replace function waiting_sales_of(buyer_id uuid)
returns bigint
language sql
stable
as $$
  with line as (
    select coalesce(max(counted_to::text), '00000000-0000-0000-0000-000000000000')::uuid as counted_to
    from counted_accounts
    where account_id = buyer_id
  ),
  changes as (
    select sale_changes.*
    from line
    join sale_changes
      on sale_changes.account_id = buyer_id
      and (sale_changes.usage_id is null or sale_changes.usage_id <= line.counted_to)
  )
  select (
    coalesce((
      select sum(charge_nanos)
      from usage_events
      where account_id = buyer_id
        and (
          usage_id > (select counted_to from line)
          or usage_id in (select usage_id from changes where kind = 'late')
        )
        and operation in ('data', 'stream', 'export')
        and feed_id is not null
        and not refunded
    ), 0)
    + coalesce((
      select sum(case kind when 'purchased' then amount_nanos else -amount_nanos end)
      from changes
      where kind <> 'late'
        and not exists (
          select
          from changes as late
          where late.kind = 'late'
            and late.usage_id = changes.usage_id
        )
    ), 0)
  )::bigint
$$;
