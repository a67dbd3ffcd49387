-- A feed's data version beside its rows, where these are distributed (`distribute_rows`); empty elsewhere.
--
-- The feed's row, on the coordinator, and its rows, on another server, are committed together, but seen one
-- after the other: who has seen the version here sees the rows that belong to it.

create table feed_versions (
  feed_id uuid primary key,
  data_version bigint not null
);

create function note_feed_version()
returns trigger
language plpgsql
as $$
begin
  delete from feed_versions
  where feed_versions.feed_id = new.feed_id;
  -- From a set, and not as values: that is what Citus commits in two phases, with the feed's row and all
  -- rows of the push.
  insert into feed_versions (feed_id, data_version)
  select moved.feed_id, moved.data_version
  from unnest(array[new.feed_id], array[new.data_version]) as moved (feed_id, data_version);
  return null;
end
$$;
