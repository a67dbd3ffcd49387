-- name: forget_mail
-- why: removes a mail that a server has accepted
-- :mail_id uuid
-- returns mail_id uuid
delete from mails
where mail_id = :mail_id
returning mail_id
