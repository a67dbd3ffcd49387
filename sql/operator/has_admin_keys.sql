-- name: has_admin_keys
-- why: whether an operator can sign in to the console with a key
-- returns has_admin_keys boolean
select exists (
  select from admin_keys where is_usable_key(revoked_at, expires_at, now())
) as has_admin_keys
