-- name: claim_deliveries
-- why: claims a webhook's due deliveries, oldest first; no row if none is due
-- :moment timestamptz?
-- :lease interval
-- :lane text
-- :busy_accounts uuid[]
-- :amount int
-- returns delivery_id uuid, webhook_id uuid, account_id uuid, url text, sealed_secret text,
--   previous_sealed_secret text?, notice_id uuid, type text, happened_at timestamptz, data json, attempts int
select
  delivery_id, webhook_id, account_id, url, sealed_secret, previous_sealed_secret, notice_id, type, happened_at, data,
  attempts
from claim_deliveries(
  moment => coalesce(:moment, clock_timestamp()),
  lease => :lease,
  lane => :lane,
  busy_accounts => :busy_accounts,
  amount => :amount
)
