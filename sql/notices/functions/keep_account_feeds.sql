-- Updates which feeds concern accounts that name none: the feeds that they have bought, were granted, or have read in
-- the last 30 days. Then stops watching feeds that no longer concern anyone.
create or replace function keep_account_feeds(moment timestamptz)
returns void
language plpgsql
as $$
begin
  with wanted as materialized (
    select known.feed_id, told.account_id
    from (
      select account_id from webhooks
      union
      select account_id from mail_choices
    ) as told
    cross join lateral feeds_of_reader(told.account_id, moment) as known
    where is_told_of_feeds(told.account_id)
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
