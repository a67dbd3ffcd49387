-- name: create_account
-- why: a new account, without credits
-- $1 name text
-- $2 max_feeds_allowed int
-- returns account_id uuid, name text, max_feeds_allowed int, balance_nanos bigint,
--   created_at timestamptz, suspension_reason text?
insert into accounts (name, max_feeds_allowed)
values ($1, $2)
returning account_id, name, max_feeds_allowed, balance_nanos, created_at, suspension_reason
