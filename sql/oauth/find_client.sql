-- name: find_client
-- why: a registered program, by its id
-- The addresses are a JSON array.
-- :client_id uuid
-- returns client_name text, redirect_uris text
select client_name, array_to_json(redirect_uris)::text as redirect_uris
from connect_clients
where client_id = :client_id
