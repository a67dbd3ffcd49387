-- Answers searches whose words are all common, in layers: the feeds with all words in their name, then those in a
-- category with all words, then those that contain all words, then those that contain the rarest. The last layer
-- contains all others. Only the layers that the page reaches are read.
--
-- A layer of more than ranked_max feeds is in catalog order, because its words rank so many feeds alike. largest_query,
-- which may be null, is a part of the last layer that is known to match largest_feeds, so they need not be counted
-- again.
create or replace function rank_broad_search(
  layers tsquery[],
  condition tsquery,
  rank_queries tsquery[],
  typed_key text,
  largest_query tsquery,
  largest_feeds bigint,
  feeds_listed bigint,
  rows_max integer,
  rows_skipped integer
)
returns table (feed_id uuid, place bigint, total bigint)
language plpgsql
stable
set enable_seqscan = off
set plan_cache_mode = force_generic_plan
as $$
declare
  ranked_max constant integer := 2000;
  -- Reading this many rows of the catalog costs less than the smallest large layer with its order.
  walked_max constant integer := 5000;
  -- Of readme, schema property names, description and category, name.
  field_weights constant real[] := '{0.2, 0.4, 0.8, 1.0}';
  rank_query tsquery;
  layer tsquery;
  last_layer constant tsquery := layers[cardinality(layers)];
  -- The last layer, without those that were read.
  within tsquery := coalesce(last_layer && condition, last_layer);
  is_large boolean;
  members uuid[];
  ordered uuid[] := '{}';
  rows_wanted bigint;
  feeds_total bigint;
begin
  select string_agg('(' || query::text || ')', ' | ')::tsquery
  into rank_query
  from unnest(rank_queries) as query;

  if condition is null and last_layer::text = largest_query::text then
    feeds_total := largest_feeds;
  elsif condition is null and largest_query is not null then
    select count(*) + largest_feeds
    into feeds_total
    from feeds
    where feeds.listed_at is not null
      and feeds.search @@ (last_layer && !!largest_query);
  else
    select count(*)
    into feeds_total
    from feeds
    where feeds.listed_at is not null
      and feeds.search @@ within;
  end if;

  foreach layer in array layers loop
    rows_wanted := rows_skipped::bigint + rows_max - cardinality(ordered);
    exit when rows_wanted <= 0;
    continue when layer is null;
    is_large := false;
    if layer::text = last_layer::text then
      layer := within;
      is_large := feeds_total - cardinality(ordered) > ranked_max;
    else
      layer := layer && within;
    end if;
    if not is_large then
      select array_agg(
        feeds.feed_id order by feeds.is_named desc, feeds.score desc, feeds.feed_id
      )
      into members
      from (
        select
          feeds.feed_id,
          feeds.name_key = typed_key as is_named,
          ts_rank(field_weights, feeds.search_head, rank_query)
          / (0.5::double precision + 0.025::double precision * length(feeds.search_head)) as score
        from feeds
        where feeds.listed_at is not null
          and feeds.search @@ layer
        limit ranked_max + 1
      ) as feeds;
      is_large := cardinality(members) > ranked_max;
    end if;
    if is_large then
      members := null;
      if rows_wanted * feeds_listed <= ranked_max::bigint * walked_max then
        -- The layer has so many feeds that reading the catalog in order soon fills the page, unless they are all at its
        -- end. The function, unlike its operator, keeps to the catalog's index.
        select array_agg(feeds.feed_id order by feeds.listed_at desc, feeds.feed_id)
        into members
        from (
          select newest.feed_id, newest.listed_at
          from (
            select feeds.feed_id, feeds.listed_at, feeds.search
            from feeds
            where feeds.listed_at is not null
            order by feeds.listed_at desc, feeds.feed_id
            limit walked_max
          ) as newest
          where ts_match_vq(newest.search, layer)
          order by newest.listed_at desc, newest.feed_id
          limit rows_wanted
        ) as feeds;
      end if;
      if members is null or cardinality(members) < rows_wanted then
        select array_agg(feeds.feed_id order by feeds.listed_at desc, feeds.feed_id)
        into members
        from (
          select feeds.feed_id, feeds.listed_at
          from feeds
          where feeds.listed_at is not null
            and feeds.search @@ layer
          order by feeds.listed_at desc, feeds.feed_id
          limit rows_wanted
        ) as feeds;
      end if;
    end if;
    within := within && !!layer;
    ordered := ordered || coalesce(members, '{}');
  end loop;

  return query
    select page.feed_id, page.place, feeds_total
    from unnest(ordered) with ordinality as page (feed_id, place)
    where page.place = 1
      or (page.place > rows_skipped and page.place <= rows_skipped::bigint + rows_max);
end
$$;
