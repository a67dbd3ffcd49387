-- A CSV that goes on has the columns with which it began, whatever became of the feed's schema.

-- csv_columns: JSON array of names; null: it was no CSV
alter table exports
  add column csv_columns json;
