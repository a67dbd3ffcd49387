-- name: find_home
-- why: where the tables are, as names in a statement, quoted where they must be
-- returns database text, schema text
select
  quote_ident(current_database()) as database,
  relnamespace::regnamespace::text as schema
from pg_class
where oid = 'accounts'::regclass
order by oid
