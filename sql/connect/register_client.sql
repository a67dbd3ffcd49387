-- name: register_client
-- why: a program that wants to ask people for keys; no row comes back if too many are unused
-- :client_name text
-- :redirect_uris text[]
-- :unused_max int
-- returns client_id uuid, registered_at timestamptz
insert into connect_clients (client_name, redirect_uris)
select :client_name::text, :redirect_uris::text[]
where (
  select count(*)
  from (
    select from connect_clients where not is_used limit :unused_max::int
  ) as unused
) < :unused_max::int
returning client_id, happened_at as registered_at
