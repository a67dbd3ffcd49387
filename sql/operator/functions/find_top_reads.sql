-- The same as rank_reads. A ranking that adds up millions of rows takes a second, so the one that the job `top reads`
-- keeps is taken if it is of these days, and of the totals as they are or no older than the work is worth.
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
  -- Work of less than this is done again, for what is newest.
  little constant interval := '25 milliseconds';
  -- So many times as old as its work was long. The job comes every ten seconds, or at a tenth of this.
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
