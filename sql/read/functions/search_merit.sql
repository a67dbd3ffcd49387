-- The rank of a feed in a search. First comes how much of the query a feed covers: all words or a close name, then
-- most, then some. Within each, the share of the query's worth that it contains (score), how close its name is to the
-- typed text (0 to 1), and a bonus. It is rounded, so that sums in different orders are equal.
create or replace function search_merit(
  score double precision,
  coverage double precision,
  closeness real,
  bonus integer
)
returns double precision
language sql
immutable
parallel safe
as $$
  select round(1e9 * (
    case
      when coverage >= 1 or closeness >= 0.5 then 200
      when coverage > 0.5 then 100
      else 0
    end
    + score * (0.3 + least(coverage, 1)) + 1.5 * closeness ^ 2 + bonus
  ))
$$;
