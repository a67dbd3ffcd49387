-- name: edit_account
-- why: changes an account's name or quota; what is null stays
-- $1 account_id uuid
-- $2 name text?
-- $3 max_feeds_allowed int?
-- returns account_id uuid, name text, max_feeds_allowed int, balance_nanos bigint,
--   created_at timestamptz
update accounts
set name = coalesce($2, name),
  max_feeds_allowed = coalesce($3, max_feeds_allowed)
where account_id = $1
returning account_id, name, max_feeds_allowed, balance_nanos, created_at
