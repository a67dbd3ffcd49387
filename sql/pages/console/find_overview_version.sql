-- name: find_overview_version
-- why: a number that changes with the contents of the operators' overview, the same for all viewers
-- returns version bigint
select hashtextextended(
  concat_ws(
    ' ',
    (
      select string_agg(concat(day, name, amount), ',' order by day, name)
      from day_totals
      where day >= (now() at time zone 'UTC')::date - 1
    ),
    (select concat(count(*), max(created_at)) from feeds where review = 'waiting' and deleted_at is null),
    (select max(amount) from findings where name = 'overdue feeds'),
    (select proven_at from ledger_proof)
  ),
  0
) as version
