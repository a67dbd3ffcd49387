-- name: register_client
-- why: registers a program that wants to ask users for keys; no row if there is no room
-- If too many are unused, the oldest ones are removed, except for those of the last minutes, whose user may be about to
-- consent.
-- :client_name text
-- :redirect_uris text[]
-- :unused_max int
-- :young interval
-- returns client_id uuid, registered_at timestamptz
with room as (
  select count(*) < :unused_max::int as is_there
  from (
    select from connect_clients where not is_used limit :unused_max::int
  ) as unused
),
forgotten as (
  delete from connect_clients
  where client_id in (
    select client_id
    from connect_clients
    where not is_used
      and happened_at <= now() - :young::interval
      and not (select is_there from room)
    order by happened_at
    limit 10
    for update skip locked
  )
  returning client_id
)
insert into connect_clients (client_name, redirect_uris)
select :client_name::text, :redirect_uris::text[]
from room
where room.is_there
  or exists (select from forgotten)
returning client_id, happened_at as registered_at
