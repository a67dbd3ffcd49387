-- The least usage id that a time range can hold, which begins at `since`; null for the begin of the log.
-- The log begins after 1970, which also is the earliest time that a UUIDv7 can name.
create or replace function uuid_since(since timestamptz)
returns uuid
language sql
immutable
parallel safe
as $$
  select uuid_from_time(greatest(since, '1970-01-01 00:00:00+00'))
$$;
