-- name: keep_timeline
-- why: the newest timeline of a cluster that any gateway has seen, in each of the cluster's databases that it can reach
-- A cluster's identifier is a part of the name, because a database may move to another cluster, whose timelines begin
-- anew.
-- :system text
-- :timeline int
-- returns timeline int
insert into settings as kept (name, value)
values ('timeline of ' || :system, :timeline::int::text)
on conflict (name) do update
set value = greatest(kept.value::int, excluded.value::int)::text
returning value::int as timeline
