-- Keeps when the schema of a feed last changed, so that readers know when to look at it again.

-- schema_changed_at: null if the feed never had a schema.
alter table feeds
  add column schema_changed_at timestamptz;

-- The audit trail knows the newest change of most feeds.
update feeds
set schema_changed_at = coalesce(
    (
      select max(audit_events.happened_at)
      from audit_events
      where audit_events.feed_id = feeds.feed_id
        and audit_events.after -> 'schema_definition' is not null
    ),
    created_at
  )
where schema_definition is not null;
