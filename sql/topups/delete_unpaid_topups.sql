-- name: delete_unpaid_topups
-- why: removes unpaid top-ups without an account, so that unauthenticated callers can't fill the table
-- :age interval
-- :limit bigint
-- returns topup_id uuid
with unpaid as materialized (
  select topup_id
  from topups
  where status = 'expired'
    and account_id is null
    and alert is null
    and ended_at + :age <= clock_timestamp()
  order by ended_at
  limit :limit
  for no key update skip locked
)
delete from topups
where topup_id in (select topup_id from unpaid)
returning topup_id
