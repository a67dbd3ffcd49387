-- Lets a deleted feed give up its slug, and finds by an index what is still to be done for deleted feeds.

-- endpoint_path: null once a deleted feed's slug is free. Two feeds without a slug never get in each other's way.
-- former_path: the slug that a deleted feed had. Its owner may delete it once more by that, and the operator find it.
-- unlisted_at: when the feed was last taken off the list; null: never.
alter table feeds
  alter column endpoint_path drop not null,
  add column former_path text,
  add column unlisted_at timestamptz,
  add constraint feeds_endpoint_path_kept check (endpoint_path is not null or deleted_at is not null);

create index feeds_former_path on feeds (former_path)
where former_path is not null;

-- Counts the deletions of an account's day.
create index feeds_account_deleted on feeds (account_id, deleted_at)
where deleted_at is not null;

-- Deleted feeds whose rows are to be removed, or whose slug is to be set free. The others stay for ever.
drop index feeds_deleted;
create index feeds_deleted on feeds (deleted_at)
where deleted_at is not null and (emptied_at is null or endpoint_path is not null);

update feeds
set unlisted_at = unlisted.happened_at
from (
  select feed_id, max(happened_at) as happened_at
  from audit_events
  where action = 'feed unpublish'
  group by feed_id
) as unlisted
where feeds.feed_id = unlisted.feed_id
  and not feeds.is_public;

-- The slug was free already, under a name that others could take.
update feeds
set endpoint_path = null
where deleted_at is not null
  and endpoint_path = 'deleted-' || feed_id;

-- Nobody ever saw it in the catalog.
update feeds
set former_path = endpoint_path,
  endpoint_path = null
where deleted_at is not null
  and endpoint_path is not null
  and not is_public
  and published_at is null
  and unlisted_at is null;

-- Their rows have gone before; the texts go, too.
update feeds
set description = null,
  readme_md = null,
  category = null,
  schema_definition = null,
  sample_response = null,
  update_frequency_text = null
where emptied_at is not null;
