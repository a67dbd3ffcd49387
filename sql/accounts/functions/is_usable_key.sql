-- Whether a key is valid at a given time.
create or replace function is_usable_key(
  revoked_at timestamptz,
  expires_at timestamptz,
  moment timestamptz
)
returns boolean
language sql
immutable
parallel safe
as $$
  select revoked_at is null and (expires_at is null or expires_at > moment)
$$;
