-- name: list_demo_settings
-- why: the steps that the demo has finished in this database, so that a later start does not repeat them
-- returns name text
select
  name
from settings
where name like 'demo:%'
order by name
