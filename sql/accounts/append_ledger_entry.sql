-- name: append_ledger_entry
-- why: gives an account credits or takes them back, once for each reference, and never more than it has
-- $1 account_id uuid
-- $2 kind text
-- $3 amount_nanos bigint
-- $4 reason text
-- $5 reference text?
-- $6 actor text?
-- returns outcome text, entry_id bigint?, balance bigint
select outcome, (entry).entry_id, balance
from append_ledger_entry($1, $2, $3, $4, $5, actor => $6)
