-- A top-level field and its value as one number, the same for values that `eq` holds to be equal: 5
-- and 5.0, but not 5 and "5". Both hashes are PostgreSQL's own, by which it also partitions tables, so
-- they stay the same from version to version.
create or replace function filter_term(name text, value jsonb)
returns integer
language sql
immutable
parallel safe
as $$
  select jsonb_hash_extended(value, hashtextextended(name, 0))::bit(32)::integer
$$;
