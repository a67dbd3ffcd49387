-- Queues the email of a member's pending notices, and removes them from the pending ones. Has no effect if another
-- process has queued them.
--
-- unsubscribe_url: see mail_unsubscribes
-- Returns the mail's id, or null.
create or replace function queue_notice_mail(
  told_account uuid, -- :account_id
  told_person uuid, -- :person_id
  told_ids uuid[], -- :notice_ids
  to_address text, -- :address
  about text, -- :subject
  as_text text, -- :body_text
  as_html text, -- :body_html
  unsubscribe_url text, -- :unsubscribe_url
  lifetime interval -- :lifetime
)
returns uuid -- :mail_id?
language plpgsql
as $$
declare
  queued_id uuid;
  told_count int;
begin
  delete from notice_mails
  where account_id = told_account
    and person_id = told_person
    and notice_id = any (told_ids);
  get diagnostics told_count = row_count;
  if told_count = 0 then
    return null;
  end if;
  queued_id := queue_mail(told_person, to_address, about, as_text, as_html, lifetime);
  insert into mail_unsubscribes (mail_id, url)
  values (queued_id, unsubscribe_url);
  return queued_id;
end
$$;
