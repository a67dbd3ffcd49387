-- Proves that what an account has paid is what providers have earned by it, in one snapshot: paid = counted + waiting.
--
-- paid_nanos: by the ledger: charges less refunds, and what was paid elsewhere for feeds. See ledger_of
-- counted_nanos: as the totals have it
-- waiting_nanos: what they don't have yet
create or replace function sales_of(
  buyer_id uuid,
  charged_nanos bigint,
  refunded_nanos bigint,
  out paid_nanos bigint,
  out counted_nanos bigint,
  out waiting_nanos bigint
)
language sql
stable
as $$
  select
    (
      charged_nanos - refunded_nanos
      + coalesce((
        select sum(price_cents * 10000000)
        from purchases
        where account_id = buyer_id
          and entry_id is not null
      ), 0)
    )::bigint,
    coalesce((select paid_nanos from counted_accounts where account_id = buyer_id), 0),
    coalesce((
      select sum(gross_nanos - refunded_nanos)
      from waiting_sales(buyer_id)
    ), 0)::bigint
$$;
