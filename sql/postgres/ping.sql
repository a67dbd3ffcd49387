-- name: ping
-- why: whether the database answers
-- returns answer int
select 1 as answer
