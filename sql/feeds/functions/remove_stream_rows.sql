-- Removes events of a stream for good, from its rows, its filter index and its totals. The caller holds the locks of
-- lock_rows. The positions are not given again.
create or replace function remove_stream_rows(
  emptied_feed uuid,
  times timestamptz[],
  positions bigint[]
)
returns void
language plpgsql
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  texts text[];
  index_id integer;
begin
  select array_agg(looked_up.payload::text order by looked_up.place)
  into texts
  from look_up_events(emptied_feed, times, positions) as looked_up;
  select filter_indexes.filter_index_id
  into index_id
  from filter_indexes
  where filter_indexes.feed_id = emptied_feed
    and filter_indexes.batch_number = 0;
  if found then
    perform remove_row_terms(index_id, times, positions, texts);
  end if;
  delete from stream_events
  where stream_events.feed_id = emptied_feed
    and stream_events.position = any (positions);
  perform add_row_totals(
    emptied_feed,
    0,
    -cardinality(positions),
    -(select sum(octet_length(removed.payload)) from unnest(texts) as removed (payload))
  );
end
$$;
