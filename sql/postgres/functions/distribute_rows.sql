-- Spreads the tables of rows over the nodes of a Citus cluster, by feed_id; false if they are already.
-- What decides and charges stays on the coordinator: feeds, accounts, keys, windows, usage, batches.
--
-- A foreign key can't lead from a distributed table to one that is not: feeds are never deleted.
create or replace function distribute_rows()
returns boolean
language plpgsql
as $$
begin
  if exists (select from settings where settings.name = 'rows_distributed') then
    return false;
  end if;
  -- One connection to each node: what follows in this transaction sees what went before.
  perform set_config('citus.multi_shard_modify_mode', 'sequential', true);
  alter table documents drop constraint documents_feed_id_fkey;
  insert into feed_versions (feed_id, data_version)
  select feeds.feed_id, feeds.data_version
  from feeds
  order by feeds.feed_id;
  create trigger feeds_version_noted
  after insert or update of data_version on feeds
  for each row
  execute function note_feed_version();
  perform create_distributed_table('feed_versions', 'feed_id');
  perform create_distributed_table('documents', 'feed_id', colocate_with => 'feed_versions');
  perform create_distributed_table('collection_rows', 'feed_id', colocate_with => 'feed_versions');
  perform create_distributed_table('stream_events', 'feed_id', colocate_with => 'feed_versions');
  insert into settings (name, value)
  values ('rows_distributed', 'feed_id');
  return true;
end
$$;
