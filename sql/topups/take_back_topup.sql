-- name: take_back_topup
-- why: revokes what a payer has got back, as far as the balance allows
-- :topup_id uuid
-- :source text
-- :rank bigint
-- :total_nanos bigint
-- :ended_nanos bigint
-- :alert text?
-- :actor text?
-- returns outcome text
select outcome
from take_back_topup(
  paid_topup => :topup_id,
  told_by => :source,
  told_rank => :rank,
  told_nanos => :total_nanos,
  told_ended => :ended_nanos,
  told_alert => :alert,
  actor => :actor
)
