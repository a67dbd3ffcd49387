-- name: end_person_sessions
-- why: signs a person out, in one browser or everywhere
-- :session_hash bytea
-- :is_everywhere boolean
-- returns is_done boolean
select true as is_done
from end_person_sessions(:session_hash, :is_everywhere)
