-- Removes the oldest partition of the usage log, once all of it is older than `retention`.
--
-- The log is the ledger of charges. To keep granted - revoked - charged + refunded = balance true at all times, the
-- events are removed in pieces, and with each piece, their charges become an entry in the credit ledger of each
-- account, of the kind charges and with a negative amount. An empty partition is dropped.
--
-- Sales totals are computed from the log, so its events stay until they are counted (`count_sales`).
--
-- It runs with the rights of its owner, because a gateway's role may own no tables.
create or replace function retire_usage(
  moment timestamptz,
  retention interval,
  row_limit int
)
returns boolean
language plpgsql
security definer
set search_path from current
-- Dropping a partition locks the log. It is better to try again later than to delay the reads that queue after a long
-- export.
set lock_timeout = '250ms'
as $$
declare
  partition_name text;
  month_end timestamptz;
  removed int;
  is_empty boolean := false;
begin
  -- A month is over if it is earlier than the month of the oldest time to keep.
  select min(pg_class.relname::text)
  into partition_name
  from pg_inherits
  join pg_class
    on pg_class.oid = pg_inherits.inhrelid
  where pg_inherits.inhparent = 'usage_events'::regclass
    and pg_class.relname ~ '^usage_events_[0-9]{4}_[0-9]{2}$'
    and right(pg_class.relname, 7) < to_char((moment - retention) at time zone 'UTC', 'YYYY_MM');
  if partition_name is null then
    return false;
  end if;
  month_end := (to_date(right(partition_name, 7), 'YYYY_MM') + interval '1 month')
    at time zone 'UTC';
  if not exists (
    select
    from totals_progress
    where name = 'sales'
      and complete_until >= month_end
  ) or exists (
    select
    from sale_changes
    where usage_id < uuid_from_time(month_end)
  )
  then
    return false;
  end if;

  execute format(
    $carry$
      with removed as (
        delete from %1$I
        where ctid = any (array(
          select ctid from %1$I order by account_id, usage_id limit $1
        ))
        returning account_id, usage_id, charge_nanos
      ),
      sums as (
        select
          account_id,
          sum(charge_nanos) as charged_nanos,
          count(*) as events,
          (array_agg(usage_id order by usage_id))[1] as first_id
        from removed
        group by account_id
      ),
      entries as (
        insert into credit_ledger (
          account_id, kind, amount_nanos, balance_before_nanos, balance_after_nanos, reason,
          reference, created_at
        )
        select
          sums.account_id, 'charges', -sums.charged_nanos, accounts.balance_nanos,
          accounts.balance_nanos, format('charges of %%s reads in %%s', sums.events, $2),
          'charges:' || sums.first_id, $3
        from sums
        join accounts
          on accounts.account_id = sums.account_id
        where sums.charged_nanos > 0
        order by sums.account_id
      )
      select count(*) from removed
    $carry$,
    partition_name
  )
  into removed
  using row_limit, replace(right(partition_name, 7), '_', '-'), moment;
  -- The count is not sufficient, because an event that is being refunded at the same time was skipped.
  if removed < row_limit then
    execute format('select not exists (select from %I)', partition_name) into is_empty;
  end if;
  if is_empty then
    execute format('drop table %I', partition_name);
  end if;
  return true;
end
$$;
