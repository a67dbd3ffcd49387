-- Whether an account receives notices about feeds without naming them: by a webhook, or as emails to a member.
create or replace function is_told_of_feeds(reader uuid)
returns boolean
language sql
stable
as $$
  select
    exists (
      select
      from webhooks
      where account_id = reader
        and permission = 'read'
        and is_active
        and feed_ids is null
    )
    or exists (
      select
      from mail_choices
      where account_id = reader
        and type in ('feed.updated', 'feed.changed', 'feed.gone')
        and choice <> 'never'
    )
$$;
