-- name: release_export
-- why: an export that was counted, and then not answered, is counted no more
-- :export_id uuid
-- returns export_id uuid
delete from exports
where export_id = :export_id
returning export_id
