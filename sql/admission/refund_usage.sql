-- name: refund_usage
-- why: a read that fails after its grant costs nothing
-- $1 account_id uuid
-- $2 usage_id uuid
-- $3 operation text
-- $4 feed_id uuid
-- returns refunded boolean
select refund_usage($1, $2, $3, $4) as refunded
