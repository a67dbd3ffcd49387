-- Updates which feeds concern accounts that name none: the feeds that they have bought, were granted, or have read in
-- the last 30 days. Then stops watching feeds that no longer concern anyone.
create or replace function keep_account_feeds(moment timestamptz)
returns void
language plpgsql
as $$
declare
  since constant date := (moment at time zone 'UTC')::date - 30;
begin
  with wanted as materialized (
    select known.feed_id, told.account_id
    from (
      select account_id from webhooks where permission = 'read' and is_active and feed_ids is null
      union
      select account_id from mail_choices where type in ('feed.updated', 'feed.changed', 'feed.gone') and choice <> 'never'
    ) as told
    cross join lateral (
      select purchases.feed_id
      from purchases
      where purchases.account_id = told.account_id
      union
      select access_grants.feed_id
      from access_grants
      where access_grants.account_id = told.account_id
        and is_current_grant(access_grants.expires_at, moment)
      union
      select spending_days.feed_id
      from spending_days
      where spending_days.account_id = told.account_id
        and spending_days.day >= since
        and spending_days.reads > 0
    ) as known
  ),
  found_since as (
    insert into account_feeds (feed_id, account_id)
    select feed_id, account_id
    from wanted
    order by feed_id, account_id
    on conflict do nothing
  )
  delete from account_feeds
  where not exists (
    select
    from wanted
    where wanted.feed_id = account_feeds.feed_id
      and wanted.account_id = account_feeds.account_id
  );
  perform compare_feeds((select array_agg(distinct feed_id) from account_feeds), moment);
  delete from told_versions
  where not exists (select from account_feeds where account_feeds.feed_id = told_versions.feed_id)
    and not exists (
      select
      from (
        select unnest(webhooks.feed_ids) as feed_id
        from webhooks
        where webhooks.feed_ids is not null
      ) as named
      where named.feed_id = told_versions.feed_id
    );
end
$$;
