-- name: list_demo_settings
-- why: what the demo has finished in this database, so that a later start does not repeat it
-- returns name text
select
  name
from settings
where name like 'demo:%'
order by name
