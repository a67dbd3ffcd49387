-- name: take_back_topup
-- why: takes back what a payer has got back, as far as the balance goes
-- :topup_id uuid
-- :source text
-- :rank int
-- :total_nanos bigint
-- :actor text?
-- returns outcome text
select outcome
from take_back_topup(
  paid_topup => :topup_id,
  told_by => :source,
  told_rank => :rank,
  told_nanos => :total_nanos,
  actor => :actor
)
