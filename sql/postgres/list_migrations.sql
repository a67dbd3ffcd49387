-- name: list_migrations
-- why: which migrations were applied, and the record of the schema that they made
-- returns version int, digest text?, parts text?
select
  schema_migrations.version,
  -- As JSON, because the first programs made the table without these columns.
  kept.row ->> 'digest' as digest,
  kept.row ->> 'parts' as parts
from schema_migrations
cross join lateral (select to_json(schema_migrations) as row) as kept
order by schema_migrations.version
