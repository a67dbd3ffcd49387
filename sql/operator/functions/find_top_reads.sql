-- The same result as rank_reads. A ranking that sums up millions of rows takes a second. So the one stored by the job
-- `top reads` is used if it covers these days, and is either based on the current totals or not too old relative to the
-- cost of a new one.
create or replace function find_top_reads(
  from_day date,
  to_day date,
  is_by_credits boolean,
  place_limit int
)
returns setof top_reads
language plpgsql
stable
as $$
declare
  -- A ranking that takes less than this is computed again, to be current.
  little constant interval := '25 milliseconds';
  -- The allowed age, as a multiple of the duration of the ranking. The job runs every ten seconds, or at a tenth of
  -- this.
  worth constant int := 200;
begin
  if not is_by_credits
    and exists (
      select
      from read_rankings as kept
      where kept.days = find_top_reads.to_day - from_day + 1
        and kept.to_day = find_top_reads.to_day
        and place_limit <= kept.places
        and (
          kept.complete_until
            is not distinct from (select complete_until from totals_progress where name = 'sales')
          or kept.took > little
            and clock_timestamp() between kept.ranked_at and kept.ranked_at + worth * kept.took
        )
    )
  then
    return query
      select *
      from top_reads
      where days = to_day - from_day + 1
        and place <= place_limit;
  else
    return query select * from rank_reads(from_day, to_day, is_by_credits, place_limit);
  end if;
end
$$;
