-- name: create_sign_in_link
-- why: creates a link that signs its holder in to the console once; removes expired links
-- :link_hash bytea
-- :permission text
-- :account_id uuid?
-- :made_by text
-- :lifetime interval
-- :forgotten_max bigint
-- returns expires_at timestamptz
with forgotten as (
  delete from sign_in_links
  where link_hash in (
    select link_hash from sign_in_links where expires_at < now() limit :forgotten_max
  )
)
insert into sign_in_links (link_hash, permission, account_id, made_by, expires_at)
values (:link_hash, :permission, :account_id, :made_by, now() + :lifetime)
returning expires_at
