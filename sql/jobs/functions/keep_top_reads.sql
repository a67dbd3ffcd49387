-- Ranks the reads of the last days, with that of the moment, and keeps the first places: for find_top_reads. Rankings
-- take at most a twentieth of one process's time, however much there is to add up.
create or replace function keep_top_reads(moment timestamptz, age interval, places int)
returns void
language plpgsql
as $$
declare
  pauses constant int := 20;
  started_at constant timestamptz := clock_timestamp();
  counted_until constant timestamptz := (
    select complete_until from totals_progress where name = 'sales'
  );
  today constant date := (moment at time zone 'UTC')::date;
  first_day constant date := ((moment - age) at time zone 'UTC')::date + 1;
begin
  if exists (
    select
    from read_ranking as kept
    where kept.to_day = today
      and started_at between kept.ranked_at and kept.ranked_at + pauses * kept.took
  ) then
    return;
  end if;

  with fresh as materialized (
    select *
    from rank_reads(first_day, today, false, keep_top_reads.places)
  ),
  fewer as (
    delete from top_reads
    where not exists (
      select
      from fresh
      where fresh.is_feed = top_reads.is_feed
        and fresh.place = top_reads.place
    )
  )
  insert into top_reads as known
  select *
  from fresh
  order by is_feed, place
  on conflict (is_feed, place) do update
  set feed_id = excluded.feed_id,
    account_id = excluded.account_id,
    reads = excluded.reads,
    spent_nanos = excluded.spent_nanos
  where known is distinct from excluded;

  insert into read_ranking (from_day, to_day, places, complete_until, ranked_at, took)
  select
    first_day,
    today,
    keep_top_reads.places,
    counted_until,
    clock_timestamp(),
    clock_timestamp() - started_at
  on conflict (is_only) do update
  set from_day = excluded.from_day,
    to_day = excluded.to_day,
    places = excluded.places,
    complete_until = excluded.complete_until,
    ranked_at = excluded.ranked_at,
    took = excluded.took;
end
$$;
