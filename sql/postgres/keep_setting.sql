-- name: keep_setting
-- why: a value that all processes must agree on; the first one that is written is kept
-- :name text
-- :value text
-- returns value text
insert into settings (name, value)
values (:name, :value)
on conflict (name) do update
set value = settings.value
returning value
