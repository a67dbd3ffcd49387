-- name: list_promotions
-- why: promotion codes in order, each with its number of redemptions, after the previous page
-- :after_code text?
-- :limit int
-- returns code text, amount_nanos bigint, max_redemptions int?, redemptions int,
--   expires_at timestamptz?, created_at timestamptz
select
  code,
  amount_nanos,
  max_redemptions,
  (
    select count(*)::int
    from promotion_redemptions as redemptions
    where redemptions.code = codes.code
  ) as redemptions,
  expires_at,
  created_at
from promotion_codes as codes
where code > coalesce(:after_code, '')
order by code
limit :limit::int
