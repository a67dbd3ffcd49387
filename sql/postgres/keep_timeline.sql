-- name: keep_timeline
-- why: stores a cluster's newest timeline that any gateway has seen, in each reachable database of the cluster
-- The cluster's identifier is part of the name, because a database may move to another cluster, whose timelines start
-- again.
-- :system text
-- :timeline int
-- returns timeline int
insert into settings as kept (name, value)
values ('timeline of ' || :system, :timeline::int::text)
on conflict (name) do update
set value = greatest(kept.value::int, excluded.value::int)::text
returning value::int as timeline
