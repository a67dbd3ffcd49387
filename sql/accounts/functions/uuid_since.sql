-- The smallest usage id of a time range that begins at `since`. Null for the beginning of the log. The log begins after
-- 1970, which is also the earliest time that a UUIDv7 can represent.
create or replace function uuid_since(since timestamptz)
returns uuid
language sql
immutable
parallel safe
as $$
  select uuid_from_time(greatest(since, '1970-01-01 00:00:00+00'))
$$;
