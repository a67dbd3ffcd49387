-- The similarities, by pg_trgm, at which texts close to a wanted one are looked for, one after another:
-- the first are cheap to find and often enough.
--
-- A typing error changes three or four trigrams, so a longer text must share more of them to count as
-- close: that keeps the search for names such as "Open …", which share their beginning with many, short.
-- There are none without pg_trgm, for one or two letters, and for a script of which pg_trgm makes no trigrams,
-- because the whole index would be read.
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
  -- Apart, since a statement that calls what is not there cannot even be planned.
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
