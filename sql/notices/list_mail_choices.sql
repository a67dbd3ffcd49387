-- name: list_mail_choices
-- why: how a member has chosen to be told by mail
-- :account_id uuid
-- :person_id uuid
-- returns type text, choice text
select type, choice
from mail_choices
where account_id = :account_id
  and person_id = :person_id
order by type
