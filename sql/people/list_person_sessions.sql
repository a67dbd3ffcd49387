-- name: list_person_sessions
-- why: the open sessions of a person, for the export of personal data
-- :person_id uuid
-- returns account_id uuid?, created_at timestamptz, expires_at timestamptz
select account_id, created_at, expires_at
from person_sessions
where person_id = :person_id
  and expires_at > now()
order by created_at, session_hash
