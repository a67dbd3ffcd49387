-- name: list_mail_choices
-- why: a member's choices of notices by email
-- :account_id uuid
-- :person_id uuid
-- returns type text, choice text
select type, choice
from mail_choices
where account_id = :account_id
  and person_id = :person_id
order by type
