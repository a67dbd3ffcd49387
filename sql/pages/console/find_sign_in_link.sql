-- name: find_sign_in_link
-- why: who would be signed in by a link, without consuming it; no row where use_sign_in_link finds none
-- :link_hash bytea
-- :is_for_operators boolean
-- returns permission text, account_name text?, expires_at timestamptz
select links.permission, accounts.name as account_name, links.expires_at
from sign_in_links as links
left join accounts
  on accounts.account_id = links.account_id
where links.link_hash = :link_hash
  and (links.permission <> 'admin' or :is_for_operators)
  and links.expires_at > now()
  and accounts.suspension_reason is null
