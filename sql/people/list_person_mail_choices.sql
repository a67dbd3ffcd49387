-- name: list_person_mail_choices
-- why: how a person receives notices by mail in each account, for the export of personal data
-- :person_id uuid
-- returns account_id uuid, type text, choice text
select account_id, type, choice
from mail_choices
where person_id = :person_id
order by account_id, type
