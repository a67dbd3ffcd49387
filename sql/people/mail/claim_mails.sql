-- name: claim_mails
-- why: claims the mails that are due, exclusively for this process until the lease ends
-- The time defaults to the database's.
-- :moment timestamptz?
-- :lease interval
-- :limit bigint
-- returns mail_id uuid, address text, subject text, body_text text, body_html text, unsubscribe_url text?,
--   attempts int
with due as materialized (
  select mail_id
  from mails
  where next_at <= coalesce(:moment, now())
    and expires_at > coalesce(:moment, now())
  order by next_at
  limit :limit
  for no key update skip locked
)
update mails
set next_at = coalesce(:moment, now()) + :lease,
  attempts = attempts + 1
where mail_id in (select mail_id from due)
returning
  mail_id,
  address,
  subject,
  body_text,
  body_html,
  (select url from mail_unsubscribes where mail_unsubscribes.mail_id = mails.mail_id) as unsubscribe_url,
  attempts
