-- Listed feeds whose name is close to a typed one, closest first; none where pg_trgm is not there.
create or replace function close_names(wanted text, feeds_max integer)
returns table (feed_id uuid, closeness real)
language plpgsql
stable
set pg_trgm.similarity_threshold = 0.3
as $$
begin
  if to_regproc('similarity') is null then
    return;
  end if;
  return query
    select feeds.feed_id, similarity(feeds.name_key, wanted) as closeness
    from feeds
    where feeds.listed_at is not null
      and feeds.name_key % wanted
    order by closeness desc, feeds.feed_id
    limit feeds_max;
end
$$;
