-- What a call costs in nano-dollars, by the feed that it reads; all of a feed may be null where there is none.
create or replace function charge_of_call(
  operation text,
  price_type text,
  call_price_nanos bigint
)
returns bigint
language sql
immutable
parallel safe
as $$
  select case when operation = 'data' and price_type = 'metered' then call_price_nanos else 0 end
$$;
