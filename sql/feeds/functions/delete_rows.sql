-- Permanently removes rows of a provider's own feed by their ids, from all batches, in one commit. The batch of a
-- running import stays as its file says. If any of the rows existed, the data version moves. The audit trail records
-- their number, but not their ids.
--
-- Outcomes: deleted, forbidden, suspended (for suspension_reason)
-- deleted: the ids that existed, as a JSON array
create or replace function delete_rows(
  owner_id uuid, -- :account_id
  emptied_feed uuid, -- :feed_id
  ids text[], -- :row_ids
  actor text, -- :actor
  out outcome text, -- :outcome
  out deleted json, -- :deleted?
  out data_version bigint, -- :data_version?
  out suspension_reason text -- :suspension_reason?
)
language plpgsql
set enable_seqscan = off
as $$
#variable_conflict use_column
declare
  feed feeds%rowtype;
  found_ids text[] := '{}';
  batch record;
begin
  perform act_as(actor);
  perform lock_rows(emptied_feed);
  select feeds.*
  into feed
  from feeds
  where feeds.feed_id = emptied_feed;
  suspension_reason := feed.suspension_reason;
  outcome := case
    when feed.account_id is distinct from owner_id or feed.deleted_at is not null then 'forbidden'
    when feed.suspension_reason is not null then 'suspended'
    else 'deleted'
  end;
  if outcome <> 'deleted' then
    return;
  end if;

  if feed.feed_type = 'stream' then
    found_ids := remove_rows(emptied_feed, 0, ids);
  else
    for batch in
      select batches.batch_number
      from batches
      where batches.feed_id = emptied_feed
        and batches.emptied_at is null
        and not exists (
          select
          from imports
          where imports.feed_id = emptied_feed
            and imports.batch_number = batches.batch_number
        )
      order by batches.batch_number
    loop
      found_ids := found_ids || remove_rows(emptied_feed, batch.batch_number, ids);
    end loop;
  end if;

  deleted := coalesce(
    (select json_agg(distinct found.id) from unnest(found_ids) as found (id)),
    '[]'::json
  );
  data_version := feed.data_version;
  if cardinality(found_ids) > 0 then
    update feeds
    set data_version = feeds.data_version + 1
    where feeds.feed_id = emptied_feed
    returning feeds.data_version into data_version;
    insert into audit_events (actor, action, account_id, feed_id, after)
    values (
      audit_actor(), 'rows delete', owner_id, emptied_feed,
      json_build_object('rows', json_array_length(deleted), 'data_version', data_version)
    );
  end if;
end
$$;
