-- Ranks the reads of the last days up to `moment`, and of that day alone, and stores the first places for
-- find_top_reads. Each ranking takes at most a twentieth of one process's time, however much there is to sum up.
create or replace function keep_top_reads(moment timestamptz, age interval, places int)
returns void
language plpgsql
as $$
declare
  pauses constant int := 20;
  today constant date := (moment at time zone 'UTC')::date;
  all_days constant int := today - ((moment - age) at time zone 'UTC')::date;
  counted_until constant timestamptz := (
    select complete_until from totals_progress where name = 'sales'
  );
  wanted_days int;
  started_at timestamptz;
begin
  foreach wanted_days in array array[all_days, 1]
  loop
    started_at := clock_timestamp();
    continue when exists (
      select
      from read_rankings as kept
      where kept.days = wanted_days
        and kept.to_day = today
        and started_at between kept.ranked_at and kept.ranked_at + pauses * kept.took
    );

    with fresh as materialized (
      select *
      from rank_reads(today - wanted_days + 1, today, false, keep_top_reads.places)
    ),
    fewer as (
      delete from top_reads
      where days = wanted_days
        and not exists (
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
    on conflict (days, is_feed, place) do update
    set feed_id = excluded.feed_id,
      account_id = excluded.account_id,
      reads = excluded.reads,
      spent_nanos = excluded.spent_nanos
    where known is distinct from excluded;

    insert into read_rankings (days, to_day, places, complete_until, ranked_at, took)
    select
      wanted_days,
      today,
      keep_top_reads.places,
      counted_until,
      clock_timestamp(),
      clock_timestamp() - started_at
    on conflict (days) do update
    set to_day = excluded.to_day,
      places = excluded.places,
      complete_until = excluded.complete_until,
      ranked_at = excluded.ranked_at,
      took = excluded.took;
  end loop;
end
$$;
