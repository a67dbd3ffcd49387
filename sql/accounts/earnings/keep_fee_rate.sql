-- name: keep_fee_rate
-- why: records the platform's fee from now on, if it differs from the current one
-- :rate_millionths int
-- returns since timestamptz, is_later boolean
select kept.since, kept.since > clock_timestamp() as is_later
from keep_fee_rate(:rate_millionths) as kept (since)
