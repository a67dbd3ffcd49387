-- Feeds that are not active, and the counts of categories, are found without a scan of all feeds. No push changes what
-- these indexes hold, but the first one of a feed.

create index feeds_not_active on feeds (created_at, feed_id)
where status <> 'active' and deleted_at is null;

create index feeds_listed_categories on feeds (category)
where listed_at is not null;
