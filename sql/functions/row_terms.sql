-- The terms of a row: of its strings, numbers, booleans and nulls. A row of more than 200 fields has the
-- one term 0 instead, which every filter looks up too: so a row costs a bounded number of entries.
create or replace function row_terms(payload json)
returns setof integer
language sql
immutable
parallel safe
rows 10
as $$
  select distinct case when count(*) over () > 200 then 0 else filter_term(key, value) end
  from jsonb_each(payload::jsonb)
  where jsonb_typeof(value) not in ('object', 'array')
$$;
