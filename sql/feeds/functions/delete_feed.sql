-- Deletes a feed: nobody finds it from now on. A job removes its rows. To delete it again is harmless.
--
-- owner_id, acting_key: the account and key that delete; null for the operator, who may delete a suspended feed, too
-- Outcomes: deleted, forbidden, suspended (for suspension_reason)
create or replace function delete_feed(
  owner_id uuid,
  deleted_feed uuid,
  acting_key uuid,
  out outcome text,
  out suspension_reason text
)
language plpgsql
as $$
#variable_conflict use_column
declare
  feed feeds%rowtype;
begin
  perform act_as_key(acting_key);
  select feeds.*
  into feed
  from feeds
  where feeds.feed_id = deleted_feed
  for no key update;
  suspension_reason := feed.suspension_reason;
  outcome := case
    when feed.feed_id is null or feed.account_id <> owner_id then 'forbidden'
    when feed.deleted_at is null and feed.suspension_reason is not null and owner_id is not null
      then 'suspended'
    else 'deleted'
  end;
  if outcome = 'deleted' and feed.deleted_at is null then
    update feeds
    set deleted_at = clock_timestamp(),
      updated_at = clock_timestamp(),
      definition_version = feeds.definition_version + 1
    where feeds.feed_id = deleted_feed;
  end if;
end
$$;
