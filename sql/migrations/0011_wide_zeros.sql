-- Rows as jsonb, for filters and their index, also where PostgreSQL can't cast them: a zero may have any
-- exponent in JSON, and one like 0e-16384 is beyond what a numeric can print.

-- The exponents of zeros are left out where the cast is refused; strings stay as they are.
create function narrowed_jsonb(source text)
returns jsonb
language plpgsql
immutable
as $$
begin
  return source::jsonb;
exception
  when numeric_value_out_of_range then
    return regexp_replace(
      source,
      -- A string; a number that is not zero; a zero.
      '("(?:[^"\\]|\\.)*")|(-?[0-9.]*[1-9][0-9.]*(?:[eE][+-]?[0-9]+)?)|(-?0(?:\.0+)?)[eE][+-]?[0-9]+',
      '\1\2\3',
      'g'
    )::jsonb;
end
$$;

-- Few rows have a zero before an "e" at all: the others pay for a look, and for no block that catches.
create function payload_jsonb(payload json)
returns jsonb
language sql
immutable
as $$
  select case
    when payload::text like '%0e%' or payload::text like '%0E%' then narrowed_jsonb(payload::text)
    else payload::jsonb
  end
$$;

create or replace function row_terms(payload json)
returns setof integer
language sql
immutable
rows 10
as $$
  select distinct case when count(*) over () > 200 then 0 else filter_term(key, value) end
  from jsonb_each(payload_jsonb(payload))
  where jsonb_typeof(value) not in ('object', 'array')
$$;
