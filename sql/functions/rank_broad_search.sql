-- Searches whose every word is common, through layers: the feeds that all words name, then those filed
-- under them, then those that hold them all, then those that hold the rarest. The last layer holds all
-- others. Only the layers that the page reaches are read.
--
-- A layer of more than ranked_max feeds is in the catalog's order, since these words tell its feeds no
-- further apart. largest_query, which may be null, is a part of the last layer that is known to stand
-- in largest_feeds: they need not be counted again.
create or replace function rank_broad_search(
  layers tsquery[],
  condition tsquery,
  rank_queries tsquery[],
  typed_key text,
  largest_query tsquery,
  largest_feeds bigint,
  rows_max integer,
  rows_skipped integer
)
returns table (feed_id uuid, place bigint, total bigint)
language plpgsql
stable
set enable_seqscan = off
set jit = off
as $$
declare
  ranked_max constant integer := 2000;
  -- Of readme, schema property names, description and category, name.
  field_weights constant real[] := '{0.2, 0.4, 0.8, 1.0}';
  rank_query tsquery;
  layer tsquery;
  -- The last layer, less those that were read.
  within tsquery;
  members uuid[];
  ordered uuid[] := '{}';
  feeds_total bigint;
begin
  select string_agg('(' || query::text || ')', ' | ')::tsquery
  into rank_query
  from unnest(rank_queries) as query;

  layer := layers[cardinality(layers)];
  if condition is null and layer::text = largest_query::text then
    feeds_total := largest_feeds;
  elsif condition is null and largest_query is not null then
    select count(*) + largest_feeds
    into feeds_total
    from feeds
    where feeds.listed_at is not null
      and feeds.search @@ (layer && !!largest_query);
  else
    select count(*)
    into feeds_total
    from feeds
    where feeds.listed_at is not null
      and feeds.search @@ coalesce(layer && condition, layer);
  end if;

  within := coalesce(layer && condition, layer);
  foreach layer in array layers loop
    exit when cardinality(ordered) >= rows_skipped::bigint + rows_max;
    continue when layer is null;
    select array_agg(feeds.feed_id order by feeds.listed_at desc, feeds.feed_id)
    into members
    from feeds
    where feeds.listed_at is not null
      and feeds.search @@ (layer && within);
    within := within && !!layer;
    if cardinality(members) <= ranked_max then
      select array_agg(
        feeds.feed_id
        order by
          feeds.name_key = typed_key desc,
          ts_rank(field_weights, feeds.search_head, rank_query)
          / (0.5 + 0.025 * length(feeds.search_head)) desc,
          feeds.feed_id
      )
      into members
      from feeds
      where feeds.feed_id = any (members);
    end if;
    ordered := ordered || coalesce(members, '{}');
  end loop;

  return query
    select page.feed_id, page.place, feeds_total
    from unnest(ordered) with ordinality as page (feed_id, place)
    where page.place = 1
      or (page.place > rows_skipped and page.place <= rows_skipped::bigint + rows_max);
end
$$;
