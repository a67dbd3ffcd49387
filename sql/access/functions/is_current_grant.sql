-- Whether a grant has not ended at a given time. PostgreSQL inlines it, so a plan is the same as without it.
create or replace function is_current_grant(expires_at timestamptz, moment timestamptz)
returns boolean
language sql
immutable
parallel safe
as $$
  select expires_at is null or expires_at > moment
$$;
