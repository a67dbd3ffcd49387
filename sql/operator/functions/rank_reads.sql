-- Ranks feeds by how often they are read, and accounts by how often they read, in a range of UTC days, both inclusive.
create or replace function rank_reads(
  from_day date,
  to_day date,
  is_by_credits boolean,
  place_limit int
)
returns setof top_reads
language sql
stable
-- Enough for the sums of 200,000 feeds and accounts.
set work_mem = '32MB'
as $$
  with counted as (
    select
      feed_id,
      null::uuid as account_id,
      sum(reads)::bigint as reads,
      sum(charged_nanos - refunded_nanos)::bigint as spent_nanos
    from spending_days
    where day between rank_reads.from_day and rank_reads.to_day
    group by feed_id
    union all
    select null, account_id, sum(reads)::bigint, sum(charged_nanos - refunded_nanos)::bigint
    from spending_days
    where day between rank_reads.from_day and rank_reads.to_day
    group by account_id
  ),
  weighed as materialized (
    select
      feed_id is not null as is_feed,
      counted.*,
      case when is_by_credits then spent_nanos else reads end as weight,
      case when is_by_credits then reads else spent_nanos end as second_weight
    from counted
  )
  select
    to_day - from_day + 1,
    top.is_feed,
    (row_number() over ranking)::int,
    top.feed_id,
    top.account_id,
    top.reads,
    top.spent_nanos
  from (values (true), (false)) as kind (is_feed)
  -- This finds the first ones without sorting all.
  cross join lateral (
    select *
    from weighed
    where weighed.is_feed = kind.is_feed
    order by weight desc, second_weight desc, feed_id, account_id
    limit place_limit
  ) as top
  window ranking as (
    partition by top.is_feed
    order by top.weight desc, top.second_weight desc, top.feed_id, top.account_id
  )
$$;
