-- name: find_connection_room
-- why: the number of sessions that this role and database may have, and how many are open
-- returns room int, open_count int
select
  least(
    current_setting('max_connections')::int
      - current_setting('superuser_reserved_connections')::int
      - coalesce(current_setting('reserved_connections', true)::int, 0),
    nullif(roles.rolconnlimit, -1),
    nullif(databases.datconnlimit, -1)
  ) as room,
  (select coalesce(sum(numbackends), 0)::int from pg_stat_database) as open_count
from pg_roles as roles
join pg_database as databases
  on databases.datname = current_database()
where roles.rolname = current_user
