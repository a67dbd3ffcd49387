-- name: count_feeds
-- why: the number of feeds that an account owns, drafts included, which counts against its quota
-- :account_id uuid
-- :status text?
-- returns total bigint
select count(*) as total
from feeds
where account_id = :account_id
  and deleted_at is null
  and (:status::text is null or status = :status)
