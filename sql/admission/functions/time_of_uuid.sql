-- The millisecond in a UUIDv7. That of the smallest UUID is in 1970.
create or replace function time_of_uuid(id uuid)
returns timestamptz
language sql
immutable
parallel safe
as $$
  select to_timestamp(
    ('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint / 1000.0
  )
$$;
