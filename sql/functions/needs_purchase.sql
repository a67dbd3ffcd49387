-- Whether a call is of what a feed that is sold once sells: its data, or whether they have changed.
create or replace function needs_purchase(operation text, price_type text)
returns boolean
language sql
immutable
parallel safe
as $$
  select price_type = 'one_time' and operation in ('data', 'revalidate')
$$;
