-- name: find_server
-- why: the server's version, its clock, and the size of the database
-- returns version text, version_number int, is_standby boolean, now_seconds double, database_bytes bigint?
select
  current_setting('server_version') as version,
  current_setting('server_version_num')::int as version_number,
  pg_is_in_recovery() as is_standby,
  extract(epoch from clock_timestamp())::float8 as now_seconds,
  case
    when has_database_privilege(current_database(), 'connect')
      then pg_database_size(current_database())
  end as database_bytes
