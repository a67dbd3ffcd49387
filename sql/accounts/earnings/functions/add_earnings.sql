-- Adds sales to the daily totals of their feeds, and their buyers to the customers of feeds, of providers, and of all
-- providers together.
create or replace function add_earnings(sales customer_sales[])
returns void
language plpgsql
as $$
#variable_conflict use_column
declare
  days customer_days[];
begin
  insert into earning_days as known (
    feed_id, day, account_id, reads, paid_reads, purchases, gross_nanos, refunded_nanos, fee_parts
  )
  select
    feed_id, day, provider_id, sum(reads), sum(paid_reads), sum(purchases), sum(gross_nanos),
    sum(refunded_nanos), sum(fee_parts)
  from unnest(sales)
  group by feed_id, day, provider_id
  order by feed_id, day
  on conflict (feed_id, day) do update
  set reads = known.reads + excluded.reads,
    paid_reads = known.paid_reads + excluded.paid_reads,
    purchases = known.purchases + excluded.purchases,
    gross_nanos = known.gross_nanos + excluded.gross_nanos,
    refunded_nanos = known.refunded_nanos + excluded.refunded_nanos,
    fee_parts = known.fee_parts + excluded.fee_parts;

  -- Most customers of a day are known after their first read.
  with seen as (
    select distinct scope.scope_id, sale.account_id, sale.day
    from unnest(sales) as sale
    cross join lateral (
      values (sale.feed_id), (sale.provider_id), (every_provider())
    ) as scope (scope_id)
    where sale.reads > 0 or sale.purchases > 0
  ),
  added as (
    insert into customer_days (scope_id, account_id, day)
    select scope_id, account_id, day
    from seen
    where not exists (
      select
      from customer_days as known
      where (known.scope_id, known.account_id, known.day)
        = (seen.scope_id, seen.account_id, seen.day)
    )
    order by scope_id, account_id, day
    returning scope_id, account_id, day
  )
  select array_agg(row(scope_id, account_id, day)::customer_days)
  into days
  from added;
  if days is not null then
    perform count_customers(days, 1);
  end if;

  -- A read that failed may have been its account's only one of the day.
  select array_agg(row(customer.scope_id, customer.account_id, customer.day)::customer_days)
  into days
  from (
    select distinct scope.scope_id, sale.account_id, sale.day, sale.provider_id
    from unnest(sales) as sale
    cross join lateral (
      values (sale.feed_id), (sale.provider_id), (every_provider())
    ) as scope (scope_id)
    where sale.reads < 0
  ) as doubted
  join customer_days as customer
    on (customer.scope_id, customer.account_id, customer.day)
      = (doubted.scope_id, doubted.account_id, doubted.day)
  where not is_customer(doubted.scope_id, doubted.provider_id, doubted.account_id, doubted.day);
  if days is not null then
    perform count_customers(days, -1);
    delete from customer_days
    using unnest(days) as gone
    where (customer_days.scope_id, customer_days.account_id, customer_days.day)
      = (gone.scope_id, gone.account_id, gone.day);
  end if;
end
$$;
