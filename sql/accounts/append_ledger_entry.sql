-- name: append_ledger_entry
-- why: grants or revokes credits of an account, once for each reference; never revokes more than the balance
-- :account_id uuid
-- :kind text
-- :amount_nanos bigint
-- :reason text
-- :reference text?
-- :actor text?
-- returns outcome text, entry_id bigint?, balance bigint
select outcome, (entry).entry_id, balance
from append_ledger_entry(:account_id, :kind, :amount_nanos, :reason, :reference, actor => :actor)
