-- The scope of customers of all providers together, in customer_days and customer_counts.
create or replace function every_provider()
returns uuid
language sql
immutable
as $$
  select '00000000-0000-0000-0000-000000000000'::uuid
$$;
