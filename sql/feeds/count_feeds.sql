-- name: count_feeds
-- why: how many feeds an account owns, drafts included: what counts against its quota
-- $1 account_id uuid
-- returns total bigint
select count(*) as total
from feeds
where account_id = $1
  and deleted_at is null
