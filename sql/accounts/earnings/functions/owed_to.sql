-- What a provider is owed: its net earnings as far as they are counted, less what it was paid.
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
