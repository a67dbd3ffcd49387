-- Listed feeds whose name is close to a typed one, closest first; none where pg_trgm is not there.
--
-- A typing error changes three or four trigrams, so a longer name must share more of them to count as
-- close: that keeps the search for names such as "Open …", which share their beginning with many, short.
create or replace function close_names(wanted text, feeds_max integer)
returns table (feed_id uuid, closeness real)
language plpgsql
stable
set enable_seqscan = off
set pg_trgm.similarity_threshold = 0.3
as $$
declare
  trigrams_min constant integer := 3;
  trigrams constant double precision := char_length(wanted) + 1;
  threshold constant double precision := least(
    greatest((trigrams - 4) / (trigrams + 4), 0.3), 0.6
  );
begin
  if to_regproc('similarity') is null then
    return;
  end if;
  -- A script of which pg_trgm makes no trigrams would have the whole index read.
  if cardinality(show_trgm(wanted)) < trigrams_min then
    return;
  end if;
  perform set_config('pg_trgm.similarity_threshold', threshold::text, true);
  return query
    select feeds.feed_id, similarity(feeds.name_key, wanted) as closeness
    from feeds
    where feeds.listed_at is not null
      and feeds.name_key % wanted
    order by closeness desc, feeds.feed_id
    limit feeds_max;
end
$$;
