-- Queues a mail. The job that sends mails (mail_sender.ts) finds it in its next pass, or when its process is woken.
--
-- recipient: the person to whom it is sent, whose removal also removes the mail; null if that is not known
-- lifetime: after this time, the mail is no longer worth sending, and is removed
create or replace function queue_mail(
  recipient uuid, -- :person_id?
  to_address text, -- :address
  about text, -- :subject
  as_text text, -- :body_text
  as_html text, -- :body_html
  lifetime interval -- :lifetime
)
returns uuid -- :mail_id
language sql
as $$
insert into mails (person_id, address, subject, body_text, body_html, expires_at)
values (recipient, to_address, about, as_text, as_html, clock_timestamp() + lifetime)
returning mail_id
$$;
