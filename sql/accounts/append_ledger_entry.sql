-- name: append_ledger_entry
-- why: gives an account credits or takes them back, once for each reference, and never more than it has
-- :account_id uuid
-- :kind text
-- :amount_nanos bigint
-- :reason text
-- :reference text?
-- :actor text?
-- returns outcome text, entry_id bigint?, balance bigint
select outcome, (entry).entry_id, balance
from append_ledger_entry(:account_id, :kind, :amount_nanos, :reason, :reference, actor => :actor)
