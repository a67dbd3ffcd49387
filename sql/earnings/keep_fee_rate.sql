-- name: keep_fee_rate
-- why: notes the platform's fee from now on, if it is another than before
-- :rate_millionths int
-- returns is_kept boolean
select keep_fee_rate(:rate_millionths) is not null as is_kept
