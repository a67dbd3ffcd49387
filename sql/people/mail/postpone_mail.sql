-- name: postpone_mail
-- why: records why an attempt failed, and when the next one is due
-- Has no effect if another process has claimed the mail since.
-- due_in: null if the mail was refused permanently. It then stays, untried, until it expires.
-- :moment timestamptz?
-- :mail_id uuid
-- :attempts int
-- :due_in interval?
-- :error text
-- returns mail_id uuid
update mails
set next_at = coalesce(coalesce(:moment, now()) + :due_in, expires_at),
  last_error = :error
where mail_id = :mail_id
  and attempts = :attempts
returning mail_id
