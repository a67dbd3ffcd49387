-- name: queue_mail
-- why: queues a mail, which is sent in the background
-- :person_id uuid?
-- :address text
-- :subject text
-- :body_text text
-- :body_html text
-- :lifetime interval
-- returns mail_id uuid
select queue_mail(
  recipient => :person_id,
  to_address => :address,
  about => :subject,
  as_text => :body_text,
  as_html => :body_html,
  lifetime => :lifetime
) as mail_id
