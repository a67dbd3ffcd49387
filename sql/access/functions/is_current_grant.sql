-- Whether a grant is still valid at a given time. PostgreSQL inlines this function, so plans are the same as without
-- it.
create or replace function is_current_grant(expires_at timestamptz, moment timestamptz)
returns boolean
language sql
immutable
parallel safe
as $$
  select expires_at is null or expires_at > moment
$$;
