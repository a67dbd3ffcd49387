-- Deletes a feed, which is no longer reachable from now on. A job removes its rows and texts. Deleting it again is
-- harmless.
--
-- The slug of a feed that was never public and never had data is free immediately, because it has had no readers. Other
-- slugs stay taken for a while, so that readers who know one don't get another provider's data under it.
--
-- The number of deletions per account in 24 hours is limited. Otherwise an account could create any number of feeds in
-- spite of its quota. Its row is locked first, so that concurrent deletions can't exceed the limit.
--
-- owner_id: the account that deletes; null for the operator, who may also delete a suspended feed, and any number of
--   feeds
-- actor: see act_as
-- deletions_per_feed: the number of deletions allowed for each feed of the quota
-- Outcomes: deleted, forbidden, suspended (for suspension_reason), limited (deletions_max, and retry_after_ms until
-- there is room)
create or replace function delete_feed(
  owner_id uuid,
  deleted_feed uuid,
  actor text,
  deletions_per_feed int,
  out outcome text,
  out suspension_reason text,
  out deletions_max bigint,
  out retry_after_ms bigint
)
language plpgsql
as $$
#variable_conflict use_column
declare
  feed feeds%rowtype;
  moment timestamptz;
begin
  perform act_as(actor);
  -- An account whose quota is now 0 can still delete the feeds that it has.
  select greatest(accounts.max_feeds_allowed, 1)::bigint * deletions_per_feed
  into deletions_max
  from accounts
  where accounts.account_id = owner_id
  for no key update;
  select feeds.*
  into feed
  from feeds
  where feeds.feed_id = deleted_feed
  for no key update;
  moment := clock_timestamp();
  select ceil(extract(epoch from feeds.deleted_at + interval '1 day' - moment) * 1000)
  into retry_after_ms
  from feeds
  where feeds.account_id = owner_id
    and feeds.deleted_at > moment - interval '1 day'
  order by feeds.deleted_at desc
  limit 1
  offset deletions_max - 1;

  suspension_reason := feed.suspension_reason;
  outcome := case
    when feed.feed_id is null or feed.account_id <> owner_id then 'forbidden'
    when feed.deleted_at is not null then 'deleted'
    when feed.suspension_reason is not null and owner_id is not null then 'suspended'
    when retry_after_ms is not null then 'limited'
    else 'deleted'
  end;
  if outcome = 'deleted' and feed.deleted_at is null then
    update feeds
    set deleted_at = moment,
      updated_at = moment,
      former_path = feeds.endpoint_path,
      endpoint_path = case
        when feeds.is_public
          or feeds.published_at is not null
          or feeds.unlisted_at is not null
          or feeds.first_pushed_at is not null
          -- Rows that an import stored before it failed.
          or feeds.next_position > 1
          then feeds.endpoint_path
      end,
      definition_version = feeds.definition_version + 1
    where feeds.feed_id = deleted_feed;
    -- Addresses of persons.
    delete from access_invitations
    where access_invitations.feed_id = deleted_feed;
  end if;
end
$$;
