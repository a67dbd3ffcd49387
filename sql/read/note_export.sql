-- name: note_export
-- why: records the version and columns of an export that was counted before its rows were, so that it can resume
-- :export_id uuid
-- :data_version bigint
-- :batch_number bigint
-- :last_position bigint
-- :csv_columns json?
-- returns export_id uuid
update exports
set
  data_version = :data_version,
  batch_number = :batch_number,
  last_position = :last_position,
  csv_columns = :csv_columns
where export_id = :export_id
returning export_id
