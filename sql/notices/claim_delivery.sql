-- name: claim_delivery
-- why: claims the next due delivery; no id if none is due
-- :moment timestamptz?
-- :lease interval
-- :is_failing boolean
-- :busy_accounts uuid[]
-- returns delivery_id uuid?, webhook_id uuid?, account_id uuid?, url text?, sealed_secret text?,
--   previous_sealed_secret text?, notice_id uuid?, type text?, happened_at timestamptz?, data json?, attempts int?
select
  delivery_id, webhook_id, account_id, url, sealed_secret, previous_sealed_secret, notice_id, type, happened_at, data,
  attempts
from claim_delivery(
  moment => coalesce(:moment, clock_timestamp()),
  lease => :lease,
  failing => :is_failing,
  busy_accounts => :busy_accounts
)
