-- The similarities, by pg_trgm, at which texts close to a wanted one are searched, one after another. The first ones
-- are cheap to search and often sufficient.
--
-- A typing error changes three or four trigrams, so a longer text must share more of them to count as close. That keeps
-- the search short for names such as "Open …", which share their beginning with many. There are no steps without
-- pg_trgm, for one or two letters, or for a script of which pg_trgm makes no trigrams, because the whole index would be
-- read.
create or replace function close_steps(wanted text)
returns double precision[]
language plpgsql
stable
as $$
declare
  trigrams_min constant integer := 4;
  trigrams constant double precision := char_length(wanted) + 1;
  first_step constant double precision := 0.5;
  last_step constant double precision := least(
    greatest((trigrams - 4) / (trigrams + 4), 0.3), 0.7
  );
begin
  -- Separate, because a statement that calls a missing function can't even be planned.
  if to_regproc('similarity') is null then
    return '{}';
  end if;
  if cardinality(show_trgm(wanted)) < trigrams_min then
    return '{}';
  end if;
  if last_step < first_step then
    return array[first_step, last_step];
  end if;
  return array[last_step];
end
$$;
