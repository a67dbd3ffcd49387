-- Creates the deliveries of new notices, and the emails of members who want them.
--
-- Notices are marked as spread in the same commit, so each is spread once. Only one process at a time runs this, as a
-- background job, so webhooks are always locked in the same order.
--
-- mail_defaults: the types that members receive by email unless they have chosen otherwise; null if the gateway sends
-- no mail
-- Returns true if more are left.
create or replace function spread_notices(moment timestamptz, amount int, mail_defaults text[])
returns boolean
language plpgsql
as $$
declare
  spread_count int;
begin
  with due as materialized (
    select notices.*
    from notices
    where notices.spread_at is null
    order by notices.happened_at
    limit amount
    for no key update skip locked
  ),
  told as (
    -- For one webhook.
    select due.notice_id, due.webhook_id
    from due
    where due.webhook_id is not null
    union
    -- For operators.
    select due.notice_id, webhooks.webhook_id
    from due
    join webhooks
      on webhooks.permission = 'admin'
      and due.type = any (webhooks.types)
    where due.permission = 'admin'
      and due.webhook_id is null
    union
    -- For an account.
    select due.notice_id, webhooks.webhook_id
    from due
    join webhooks
      on webhooks.account_id = due.account_id
      and webhooks.permission = due.permission
      and due.type = any (webhooks.types)
    where due.permission <> 'admin'
      and due.webhook_id is null
      and (due.feed_id is null or webhooks.feed_ids is null or due.feed_id = any (webhooks.feed_ids))
      and is_own_budget(webhooks, due.chain_id)
    union
    -- For readers who have named the feed.
    select due.notice_id, webhooks.webhook_id
    from due
    join webhooks
      on webhooks.feed_ids @> array[due.feed_id]
      and webhooks.permission = 'read'
      and due.type = any (webhooks.types)
    where due.permission = 'read'
      and due.account_id is null
    union
    -- For readers of the feed.
    select due.notice_id, webhooks.webhook_id
    from due
    join account_feeds
      on account_feeds.feed_id = due.feed_id
    join webhooks
      on webhooks.account_id = account_feeds.account_id
      and webhooks.permission = 'read'
      and webhooks.feed_ids is null
      and due.type = any (webhooks.types)
    where due.permission = 'read'
      and due.account_id is null
      -- What other keys of the account read is none of an agent's business.
      and (not is_of_agent(webhooks) or is_acquired(webhooks.account_id, due.feed_id))
  ),
  made as (
    insert into webhook_deliveries (webhook_id, notice_id, created_at, next_at)
    select told.webhook_id, told.notice_id, moment, moment
    from told
    join due
      on due.notice_id = told.notice_id
    join webhooks
      on webhooks.webhook_id = told.webhook_id
      and webhooks.created_at <= due.happened_at
    where webhooks.is_active
    order by told.webhook_id, told.notice_id
    on conflict on constraint webhook_deliveries_once do nothing
    returning webhook_deliveries.webhook_id
  ),
  woken as (
    update webhooks
    set next_at = least(coalesce(webhooks.next_at, moment), moment)
    where webhooks.webhook_id in (select made.webhook_id from made)
  ),
  recipients as (
    select due.notice_id, due.type, members.account_id, members.person_id
    from due
    join members
      on members.account_id = due.account_id
    where due.permission <> 'admin'
    union
    select due.notice_id, due.type, members.account_id, members.person_id
    from due
    join account_feeds
      on account_feeds.feed_id = due.feed_id
    join members
      on members.account_id = account_feeds.account_id
    where due.permission = 'read'
      and due.account_id is null
  ),
  mailed as (
    insert into notice_mails (notice_id, account_id, person_id, choice, due_at)
    select
      recipients.notice_id,
      recipients.account_id,
      recipients.person_id,
      chosen.choice,
      case
        when chosen.choice = 'at_once' then moment
        -- Digests are sent at 8:00 UTC.
        else date_trunc('day', moment at time zone 'UTC' + interval '16 hours') at time zone 'UTC'
          + interval '8 hours'
      end
    from recipients
    left join mail_choices
      on mail_choices.account_id = recipients.account_id
      and mail_choices.person_id = recipients.person_id
      and mail_choices.type = recipients.type
    cross join lateral (
      select coalesce(
        mail_choices.choice,
        case when recipients.type = any (mail_defaults) then 'at_once' else 'never' end
      ) as choice
    ) as chosen
    where mail_defaults is not null
      and chosen.choice <> 'never'
    on conflict do nothing
  )
  update notices
  set spread_at = moment
  where notices.notice_id in (select due.notice_id from due);
  get diagnostics spread_count = row_count;
  return spread_count = amount;
end
$$;
