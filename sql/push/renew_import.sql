-- name: renew_import
-- why: renews an import's claim of its feed while its client sends slowly; no row if the claim is lost
-- :feed_id uuid
-- :import_id uuid
-- returns feed_id uuid
update imports
set renewed_at = now()
where feed_id = :feed_id
  and import_id = :import_id
returning feed_id
