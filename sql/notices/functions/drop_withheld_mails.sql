-- Removes pending notices whose recipient may no longer receive them by email: the account is suspended or closed, the
-- person has left it or has since turned off emails of this type, or the account may no longer learn about the feed.
create or replace function drop_withheld_mails(moment timestamptz)
returns void
language sql
as $$
  delete from notice_mails as waiting
  using notices
  where notices.notice_id = waiting.notice_id
    and waiting.due_at <= moment
    and not (
      exists (
        select
        from members
        join accounts
          on accounts.account_id = members.account_id
        where members.account_id = waiting.account_id
          and members.person_id = waiting.person_id
          and accounts.suspension_reason is null
          and accounts.closed_at is null
      )
      and not exists (
        select
        from mail_choices
        where mail_choices.account_id = waiting.account_id
          and mail_choices.person_id = waiting.person_id
          and mail_choices.type = notices.type
          and mail_choices.choice = 'never'
      )
      and tells_of_feed(notices, waiting.account_id)
    )
$$;
