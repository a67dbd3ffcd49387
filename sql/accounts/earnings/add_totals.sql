-- name: add_totals
-- why: adds a gateway's counts to the totals of their minutes, by the database's clock
-- :ages_ms bigint[]
-- :names text[]
-- :amounts bigint[]
-- returns is_added boolean
select
  add_totals(
    array(
      select clock_timestamp() - given.age_ms * interval '1 millisecond'
      from unnest(:ages_ms::bigint[]) with ordinality as given (age_ms, place)
      order by given.place
    ),
    :names,
    :amounts,
    clock_timestamp()
  ) is not null as is_added
