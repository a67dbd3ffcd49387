-- name: list_due_notice_mails
-- why: the notices to email to one member now, immediately or as a digest, oldest first
-- No rows if none is due.
-- :moment timestamptz?
-- :limit bigint
-- returns notice_id uuid, account_id uuid, account_name text, person_id uuid, address text, choice text, type text,
--   data json, happened_at timestamptz
with next as (
  select account_id, person_id, choice, notice_id
  from notice_mails
  where due_at <= coalesce(:moment, now())
  order by due_at, account_id, person_id, notice_id
  limit 1
)
select
  waiting.notice_id,
  waiting.account_id,
  accounts.name as account_name,
  waiting.person_id,
  persons.address,
  waiting.choice,
  notices.type,
  notices.data,
  notices.happened_at
from next
join notice_mails as waiting
  on waiting.account_id = next.account_id
  and waiting.person_id = next.person_id
  and waiting.choice = next.choice
  and (waiting.choice = 'daily' or waiting.notice_id = next.notice_id)
join notices
  on notices.notice_id = waiting.notice_id
join accounts
  on accounts.account_id = waiting.account_id
join persons
  on persons.person_id = waiting.person_id
where waiting.due_at <= coalesce(:moment, now())
order by notices.happened_at, notices.notice_id
limit :limit
