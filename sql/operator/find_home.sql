-- name: find_home
-- why: the database and schema of the tables, quoted for use in a statement
-- returns database text, schema text
select
  quote_ident(current_database()) as database,
  relnamespace::regnamespace::text as schema
from pg_class
where oid = 'accounts'::regclass
order by oid
