-- name: use_sign_in_link
-- why: who is signed in by a link, which is used up with that; nothing if it is over, or the account is suspended
-- :link_hash bytea
-- returns permission text, account_id uuid?, made_by text
with used as (
  delete from sign_in_links
  where link_hash = :link_hash
  returning permission, account_id, made_by, expires_at
)
select used.permission, used.account_id, used.made_by
from used
left join accounts
  on accounts.account_id = used.account_id
where used.expires_at > now()
  and accounts.suspension_reason is null
