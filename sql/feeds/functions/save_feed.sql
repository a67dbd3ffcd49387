-- Creates or edits one feed: checks every rule that depends on stored data, and writes, in one commit.
--
-- The account's row is locked first, so that concurrent creates can't exceed the quota, and then the feed's row. The
-- given fields are applied to the row under the lock, so concurrent edits never lose each other's fields.
--
-- owner_id: the account that saves
-- saved_feed_id: the feed to save, or the id for a new one; null to generate the id
-- save_mode: create, which creates a missing feed (fields must contain name and endpoint_path), or edit, which refuses
--   it
-- fields: only the given fields, as one JSON object; null clears a field. It is json, not jsonb, so that
--   schema_definition and sample_response keep their text
-- given_price_type, given_call_price_nanos, given_one_time_price_cents: the pricing as decided from the body;
--   given_price_type is null if the body has none, so that pricing is unchanged
-- compared_version: definition_version of the feed whose schema the given one was compared with; null for none. If the
--   feed has another version, the outcome is stale, because the schemas were not compared
-- is_breaking: whether that comparison says that the given schema breaks readers
-- is_dry_run: checks everything, and writes nothing
--
-- Outcomes: created, saved, forbidden, draft_step_null (null over a number), schema_required, schema_for_array (locked,
-- on a feed whose rows are objects), never_pushed, type_locked, endpoint_path_taken, quota_exceeded, schema_breaking
-- (by an edit of an active feed with a locked schema, without a higher schema_version), stale, saved (also in a dry
-- run), suspended (for suspension_reason), retention_for_stream.
create or replace function save_feed(
  owner_id uuid, -- :account_id
  saved_feed_id uuid, -- :feed_id?
  save_mode text, -- :save_mode
  fields json, -- :fields
  given_price_type text, -- :price_type?
  given_call_price_nanos bigint, -- :call_price_nanos?
  given_one_time_price_cents bigint, -- :one_time_price_cents?
  compared_version bigint, -- :compared_version?
  is_breaking boolean, -- :is_breaking
  is_dry_run boolean, -- :is_dry_run
  actor text, -- :actor
  out outcome text, -- :outcome
  out feed_id uuid, -- :feed_id?
  out max_feeds_allowed int, -- :max_feeds_allowed
  out feeds_used bigint, -- :feeds_used?
  out suspension_reason text -- :suspension_reason?
)
language plpgsql
-- Every table is accessed by its key. Without this, a plan made while the tables were empty could scan them, and be
-- kept.
set enable_seqscan = off
as $$
#variable_conflict use_column
declare
  feed feeds%rowtype;
  saved feeds%rowtype;
  is_new boolean;
  is_schema_empty boolean;
  violated text;
begin
  perform act_as(actor);
  select accounts.max_feeds_allowed
  into max_feeds_allowed
  from accounts
  where accounts.account_id = owner_id
  for no key update;

  select feeds.*
  into feed
  from feeds
  where feeds.feed_id = saved_feed_id
  for update;

  is_new := feed.feed_id is null;
  suspension_reason := feed.suspension_reason;
  if (is_new and save_mode = 'edit') or feed.account_id <> owner_id
    or feed.deleted_at is not null
  then
    outcome := 'forbidden';
    return;
  end if;

  if is_new then
    feed.feed_id := coalesce(saved_feed_id, gen_random_uuid());
    feed.account_id := owner_id;
    feed.schema_version := 1;
    feed.schema_locked := false;
    feed.sync_interval_mins := 60;
    feed.status := 'draft';
    feed.price_type := 'free';
    feed.access := 'open';
    feed.call_price_nanos := 0;
    feed.next_position := 1;
    feed.review := 'none';
  end if;
  feed_id := feed.feed_id;

  -- A field that is not given stays, and a JSON null becomes a SQL null, including in the json columns.
  saved := json_populate_record(feed, fields);
  if given_price_type is not null then
    saved.price_type := given_price_type;
    saved.call_price_nanos := given_call_price_nanos;
    saved.one_time_price_cents := given_one_time_price_cents;
  end if;

  -- A listed feed has been reviewed.
  if (fields ->> 'request_review')::boolean and not coalesce(feed.is_public, false) then
    saved.review := 'waiting';
    saved.review_reason := null;
  end if;

  -- Stored JSON is compact, so an empty schema has one form.
  is_schema_empty := coalesce(saved.schema_definition::text, '{}') = '{}';
  outcome := case
    when feed.suspension_reason is not null
      then 'suspended'
    when saved.retention_days is not null and saved.feed_type is distinct from 'stream'
      then 'retention_for_stream'
    when saved.draft_step is null and feed.draft_step is not null
      then 'draft_step_null'
    -- A first push may have activated a draft without a schema. It stays so if neither field is given, or if the row is
    -- sent back unchanged.
    when saved.status <> 'draft' and is_schema_empty
      and (
        saved.status <> feed.status
        or saved.schema_definition::text is distinct from feed.schema_definition::text
        or (fields -> 'status' is not null and fields -> 'schema_definition' is null)
      )
      then 'schema_required'
    when saved.schema_locked
      and saved.feed_type in ('collection', 'stream')
      and saved.schema_definition ->> 'type' in ('array', '["array"]')
      then 'schema_for_array'
    when saved.status = 'active' and feed.status <> 'active' and feed.first_pushed_at is null
      then 'never_pushed'
    -- Rows staged by a failed import are not data, because they were never readable. Events that it has left are.
    when saved.feed_type is distinct from feed.feed_type and feed.next_position > 1
      and (
        feed.first_pushed_at is not null
        or exists (select from stream_events where stream_events.feed_id = feed.feed_id)
      )
      then 'type_locked'
    when saved.endpoint_path is distinct from feed.endpoint_path
      and exists (select from feeds where feeds.endpoint_path = saved.endpoint_path)
      then 'endpoint_path_taken'
    when feed.definition_version <> compared_version
      then 'stale'
    -- By the feed as it was before the edit, because readers rely on that.
    when is_breaking and feed.status = 'active' and feed.schema_locked
      and saved.schema_version <= feed.schema_version
      then 'schema_breaking'
  end;
  feeds_used := (select count(*) from feeds
    where feeds.account_id = owner_id and feeds.deleted_at is null);
  if outcome is null and is_new and feeds_used >= max_feeds_allowed then
    outcome := 'quota_exceeded';
  end if;
  if outcome is null and is_dry_run then
    outcome := 'saved';
  end if;
  if outcome is not null then
    return;
  end if;
  if saved.schema_definition::text is distinct from feed.schema_definition::text then
    saved.schema_changed_at := clock_timestamp();
  end if;

  begin
    if is_new then
      insert into feeds (
        feed_id, account_id, name, description, readme_md, category, endpoint_path, feed_type,
        schema_definition, schema_version, schema_locked, sample_response, sync_interval_mins,
        update_frequency_text, status, draft_step, price_type, call_price_nanos,
        one_time_price_cents, retention_days, access, schema_changed_at, review
      )
      values (
        saved.feed_id, saved.account_id, saved.name, saved.description, saved.readme_md,
        saved.category, saved.endpoint_path, saved.feed_type, saved.schema_definition,
        saved.schema_version, saved.schema_locked, saved.sample_response, saved.sync_interval_mins,
        saved.update_frequency_text, saved.status, saved.draft_step, saved.price_type,
        saved.call_price_nanos, saved.one_time_price_cents, saved.retention_days,
        saved.access, saved.schema_changed_at, saved.review
      );
      feeds_used := feeds_used + 1;
      -- Whether an account finds invited feeds is part of its state, so that gateways look it up again. For edits, the
      -- trigger feeds_owner_touched does the same.
      if saved.access = 'invited' then
        update accounts
        set generation = generation
        where accounts.account_id = owner_id;
      end if;
    -- As text, because json has no equality. Writing the same value is not a change.
    elsif saved::text <> feed::text then
      update feeds
      set (
          name, description, readme_md, category, endpoint_path, feed_type, schema_definition,
          schema_version, schema_locked, sample_response, sync_interval_mins,
          update_frequency_text, status, draft_step, price_type, call_price_nanos,
          one_time_price_cents, retention_days, access, schema_changed_at, review, review_reason
        ) = (
          saved.name, saved.description, saved.readme_md, saved.category, saved.endpoint_path,
          saved.feed_type, saved.schema_definition, saved.schema_version, saved.schema_locked,
          saved.sample_response, saved.sync_interval_mins, saved.update_frequency_text,
          saved.status, saved.draft_step, saved.price_type, saved.call_price_nanos,
          saved.one_time_price_cents, saved.retention_days, saved.access, saved.schema_changed_at, saved.review,
          saved.review_reason
        ),
        -- A change of retention_days changes which events readers see.
        data_version = feeds.data_version
          + (saved.retention_days is distinct from feed.retention_days)::int,
        -- Only a collection has batches.
        current_batch = case
          when saved.feed_type is not distinct from feed.feed_type then feeds.current_batch
        end,
        definition_version = feeds.definition_version + 1,
        updated_at = clock_timestamp()
      where feeds.feed_id = saved.feed_id;
      if saved.feed_type is distinct from feed.feed_type then
        update batches
        set status = 'retired',
          retired_at = clock_timestamp()
        where batches.feed_id = saved.feed_id
          and batches.status <> 'retired';
      end if;
    end if;
  exception when unique_violation then
    -- Another account was faster since the check above.
    get stacked diagnostics violated = constraint_name;
    if violated = 'feeds_endpoint_path_unique' then
      outcome := 'endpoint_path_taken';
      return;
    end if;
    if violated <> 'feeds_pkey' then
      raise;
    end if;
    -- The id exists by now, and stays, so this is no longer a create.
    select again.*
    into outcome, feed_id, max_feeds_allowed, feeds_used, suspension_reason
    from save_feed(
      owner_id, saved_feed_id, 'edit', fields, given_price_type, given_call_price_nanos,
      given_one_time_price_cents, compared_version, is_breaking, is_dry_run, actor
    ) as again;
    return;
  end;

  outcome := case when is_new then 'created' else 'saved' end;
end
$$;
