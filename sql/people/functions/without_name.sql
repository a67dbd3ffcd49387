-- The fields of an audit event without a name.
create or replace function without_name(fields json)
returns json
language sql
immutable
as $$
  select (fields::jsonb - 'name')::json
$$;
