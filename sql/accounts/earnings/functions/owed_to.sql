-- The amount owed to a provider: its net earnings that are counted, minus its payouts.
create or replace function owed_to(provider_id uuid)
returns bigint
language sql
stable
as $$
  select (
    coalesce((
      select sum(gross_nanos - refunded_nanos - fee_nanos)
      from earning_days
      where account_id = provider_id
    ), 0)
    - coalesce((select sum(amount_nanos) from payouts where account_id = provider_id), 0)
  )::bigint
$$;
