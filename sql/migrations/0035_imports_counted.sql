-- How far each import is, kept with its rows, so that the history of pushes has an import whose gateway was killed, too.

-- Rows and bytes of the file up to the last part that was stored, what became of those rows. Null: the import was begun
-- by a program that does not count here, and that writes into the history by itself.
alter table imports
  add column rows_received integer,
  add column rows_inserted integer,
  add column rows_duplicate integer,
  add column body_bytes bigint;
