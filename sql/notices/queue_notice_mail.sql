-- name: queue_notice_mail
-- why: queues the email of pending notices; no id if another process has queued it
-- :account_id uuid
-- :person_id uuid
-- :notice_ids uuid[]
-- :address text
-- :subject text
-- :body_text text
-- :body_html text
-- :unsubscribe_url text
-- :lifetime interval
-- returns mail_id uuid?
select queue_notice_mail(
  told_account => :account_id,
  told_person => :person_id,
  told_ids => :notice_ids,
  to_address => :address,
  about => :subject,
  as_text => :body_text,
  as_html => :body_html,
  unsubscribe_url => :unsubscribe_url,
  lifetime => :lifetime
) as mail_id
