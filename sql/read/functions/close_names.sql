-- Listed feeds whose name is close to a typed one, closest first. Less close names are searched only if fewer than
-- feeds_enough are found (`close_steps`).
create or replace function close_names(wanted text, feeds_max integer, feeds_enough integer)
returns table (feed_id uuid, closeness real)
language plpgsql
stable
set enable_seqscan = off
set plan_cache_mode = force_generic_plan
as $$
declare
  step double precision;
  step_before double precision := 2;
  found_now integer;
  found_all integer := 0;
begin
  foreach step in array close_steps(wanted) loop
    -- Until the end of the statement. A clause of the function would require that the library of pg_trgm is loaded when
    -- the function is created, or a superuser.
    perform set_config('pg_trgm.similarity_threshold', step::text, true);
    return query
      select feeds.feed_id, similarity(feeds.name_key, wanted) as closeness
      from feeds
      where feeds.listed_at is not null
        and feeds.name_key % wanted
        and similarity(feeds.name_key, wanted) < step_before
      order by closeness desc, feeds.feed_id
      limit feeds_max - found_all;
    get diagnostics found_now = row_count;
    found_all := found_all + found_now;
    exit when found_all >= feeds_enough;
    step_before := step;
  end loop;
end
$$;
