-- name: refund_reads
-- why: refunds reads that were answered with an error
-- :batch_token text
-- :account_ids uuid[]
-- :elapsed_ms bigint
-- :sent_at timestamptz
-- :only_usage uuid?
-- returns refunded int
select refund_reads(:batch_token, :account_ids, :elapsed_ms, :sent_at, :only_usage) as refunded
