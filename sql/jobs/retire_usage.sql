-- name: retire_usage
-- why: carries old charges into the credit ledger and drops their partition, a bounded piece at a time
-- $1 moment timestamptz
-- $2 pause interval
-- $3 retention interval
-- $4 row_limit int
-- returns is_more boolean
select retire_usage($1, $2, $3, $4) as is_more
