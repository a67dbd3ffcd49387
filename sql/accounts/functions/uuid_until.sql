-- An upper bound of the usage ids of a time range that ends with the millisecond of `until`. Null for the end of the
-- log.
create or replace function uuid_until(until timestamptz)
returns uuid
language sql
stable
parallel safe
as $$
  select uuid_from_time(
    greatest(coalesce(until, '9999-12-31 00:00:00+00'), '1970-01-01 00:00:00+00') + interval '1 ms'
  )
$$;
