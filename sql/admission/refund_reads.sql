-- name: refund_reads
-- why: a read that is answered with an error costs nothing
-- $1 batch_token text
-- $2 account_ids uuid[]
-- $3 elapsed_ms bigint
-- $4 sent_at timestamptz
-- $5 only_usage uuid?
-- returns refunded int
select refund_reads($1, $2, $3, $4, $5) as refunded
