-- name: remove_expired_mails
-- why: removes mails that are no longer worth sending
-- is_refused: whether a server had refused it permanently
-- :moment timestamptz?
-- :limit bigint
-- returns is_refused boolean
with expired as materialized (
  select mail_id
  from mails
  where expires_at <= coalesce(:moment, now())
  order by expires_at
  limit :limit
  for no key update skip locked
)
delete from mails
where mail_id in (select mail_id from expired)
returning next_at = expires_at as is_refused
