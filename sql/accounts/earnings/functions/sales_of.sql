-- Verifies in one snapshot that an account's payments are equal to the earnings of providers from it: paid = counted +
-- waiting.
--
-- paid_nanos: by the ledger: charges minus refunds, and payments elsewhere for feeds. See ledger_of
-- counted_nanos: by the totals
-- waiting_nanos: sales that are not in the totals yet
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
