-- name: run_notice_job
-- why: runs a step of a background job of notices, unless it is not due or runs elsewhere
-- :job text
-- :moment timestamptz?
-- :pause interval
-- :age interval?
-- :amount bigint
-- :mail_defaults text[]?
-- returns is_more boolean
select run_notice_job(
  job => :job,
  moment => coalesce(:moment, clock_timestamp()),
  pause => :pause,
  age => :age,
  amount => :amount,
  mail_defaults => :mail_defaults
) as is_more
