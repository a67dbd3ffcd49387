-- A time in the data of a notice: RFC 3339 in UTC, whatever the time zone of the session.
create or replace function json_time(moment timestamptz)
returns text
language sql
immutable
as $$
  select to_char(moment at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
$$;
