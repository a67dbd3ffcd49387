-- name: release_export
-- why: removes an export from its limit that was counted but not answered
-- :export_id uuid
-- returns export_id uuid
delete from exports
where export_id = :export_id
returning export_id
