-- The smallest UUIDv7 of a millisecond: the bound of a time range of usage ids.
create or replace function uuid_from_time(moment timestamptz)
returns uuid
language sql
immutable
parallel safe
as $$
  select (
    lpad(to_hex(floor(extract(epoch from moment) * 1000)::bigint), 12, '0')
    || '00000000000000000000'
  )::uuid
$$;
