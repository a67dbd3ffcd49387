-- name: list_schema_parts
-- why: the parts of the schema of a table, each with a digest of its definition, for comparison
-- :table_name text
-- returns part text
with home as (
  select relnamespace as schema
  from pg_class
  where oid = :table_name::text::regclass
),
-- Without the usage log's partitions, which are created and dropped, and the migrator's own table, which it changes
-- itself.
tables as (
  select pg_class.oid, pg_class.relname as name
  from home
  join pg_class
    on pg_class.relnamespace = home.schema
  where pg_class.relkind in ('r', 'p')
    and not pg_class.relispartition
    and pg_class.relname <> 'schema_migrations'
),
-- PostgreSQL prints the definitions, so digests can be compared only within one version of it.
parts as (
  select
    'column ' || tables.name || '.' || attname as name,
    concat_ws(
      ' ',
      format_type(atttypid, atttypmod),
      attnotnull,
      attidentity,
      attgenerated,
      pg_get_expr(adbin, adrelid)
    ) as definition
  from tables
  join pg_attribute
    on attrelid = tables.oid
  left join pg_attrdef
    on adrelid = attrelid
    and adnum = attnum
  where attnum > 0
    and not attisdropped
  union all
  select
    'constraint ' || tables.name || '.' || conname,
    pg_get_constraintdef(pg_constraint.oid, true)
  from tables
  join pg_constraint
    on conrelid = tables.oid
  -- From PostgreSQL 18 on, "not null" is also a constraint.
  where contype in ('c', 'f', 'p', 'u', 'x')
  union all
  select 'index ' || tables.name || '.' || relname, pg_get_indexdef(indexrelid, 0, true)
  from tables
  join pg_index
    on indrelid = tables.oid
  join pg_class
    on pg_class.oid = indexrelid
  -- `ensure_trigram` creates these two if it can.
  where indisvalid
    and relname not in ('feeds_name_key_trigrams', 'search_words_trigrams')
  union all
  select
    'trigger ' || tables.name || '.' || tgname,
    tgenabled::text || pg_get_triggerdef(pg_trigger.oid, true)
  from tables
  join pg_trigger
    on tgrelid = tables.oid
  where not tgisinternal
  union all
  select
    'function ' || proname || '(' || pg_get_function_identity_arguments(pg_proc.oid) || ')',
    concat_ws(
      ' ',
      pg_get_function_result(pg_proc.oid),
      provolatile,
      proisstrict,
      coalesce(pg_get_function_sqlbody(pg_proc.oid), prosrc)
    )
  from home
  join pg_proc
    on pronamespace = home.schema
  where not exists (
    select
    from pg_depend
    where classid = 'pg_proc'::regclass
      and objid = pg_proc.oid
      and deptype = 'e'
  )
)
select name || ' ' || left(md5(definition), 8) as part
from parts
order by part
