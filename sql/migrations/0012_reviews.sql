-- Keeps whether a feed waits for the operator's review, and why it was declined.

-- review: what is asked and answered while the feed is not listed. A listed feed has none.
-- review_reason: why the operator declined it.
alter table feeds
  add column review text not null default 'none',
  add column review_reason text,
  add constraint feeds_review_known check (review in ('none', 'waiting', 'declined')),
  add constraint feeds_review_of_unlisted check (review = 'none' or not is_public),
  add constraint feeds_review_reason_of_declined check ((review = 'declined') = (review_reason is not null));

-- Finds the feeds that wait.
create index feeds_waiting on feeds (created_at, feed_id)
where review = 'waiting' and deleted_at is null;

-- As before, with reviews: to decline has a name of its own.
create or replace function note_audit()
returns trigger
language plpgsql
as $$
declare
  kind constant text := tg_argv[0];
  fields constant text[] := case kind
    when 'feed' then array[
      'name', 'description', 'readme_md', 'category', 'endpoint_path', 'feed_type',
      'schema_definition', 'schema_version', 'schema_locked', 'sample_response', 'sync_interval_mins',
      'update_frequency_text', 'status', 'draft_step', 'price_type', 'call_price_nanos',
      'one_time_price_cents', 'is_public', 'retention_days', 'suspension_reason', 'deleted_at',
      'review', 'review_reason'
    ]
    when 'account' then array['name', 'max_feeds_allowed', 'suspension_reason']
    when 'key' then array[
      'name', 'key_id', 'feed_ids', 'expires_at', 'permission', 'revoked_at', 'daily_nanos'
    ]
  end;
  -- As JSON, in which a column that the table lacks is null.
  old_row constant json := case when tg_op = 'UPDATE' then to_json(old) end;
  new_row constant json := to_json(new);
begin
  insert into audit_events (actor, action, account_id, feed_id, before, after)
  values (
    audit_actor(),
    kind || case
      when old_row is null then ' create'
      when old_row ->> 'deleted_at' is null and new_row ->> 'deleted_at' is not null then ' delete'
      when old_row ->> 'suspension_reason' is null and new_row ->> 'suspension_reason' is not null
        then ' suspend'
      when old_row ->> 'suspension_reason' is not null and new_row ->> 'suspension_reason' is null
        then ' resume'
      when new_row ->> 'review' = 'declined'
        and old_row ->> 'review_reason' is distinct from new_row ->> 'review_reason'
        then ' decline'
      when old_row ->> 'is_public' = 'false' and new_row ->> 'is_public' = 'true' then ' publish'
      when old_row ->> 'is_public' = 'true' and new_row ->> 'is_public' = 'false' then ' unpublish'
      when old_row ->> 'revoked_at' is distinct from new_row ->> 'revoked_at' then ' revoke'
      else ' edit'
    end,
    (new_row ->> 'account_id')::uuid,
    (new_row ->> 'feed_id')::uuid,
    audit_changes(old_row, new_row, fields),
    audit_changes(new_row, old_row, fields)
  );
  return null;
end
$$;
