-- name: keep_setting
-- why: a value that all processes must agree on; the first one that is written stays
-- $1 name text
-- $2 value text
-- returns value text
insert into settings (name, value)
values ($1, $2)
on conflict (name) do update
set value = settings.value
returning value
