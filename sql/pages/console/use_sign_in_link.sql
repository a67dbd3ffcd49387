-- name: use_sign_in_link
-- why: who is signed in by a link, which is consumed; no row if it has expired or the account is suspended
-- A link for an operator is not consumed where no operator may sign in.
-- :link_hash bytea
-- :is_for_operators boolean
-- returns permission text, account_id uuid?, made_by text
with used as (
  delete from sign_in_links
  where link_hash = :link_hash
    and (permission <> 'admin' or :is_for_operators)
  returning permission, account_id, made_by, expires_at
)
select used.permission, used.account_id, used.made_by
from used
left join accounts
  on accounts.account_id = used.account_id
where used.expires_at > now()
  and accounts.suspension_reason is null
