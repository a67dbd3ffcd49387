-- name: list_promotions
-- why: the promotion codes with how often each was redeemed, by code, from behind the page before
-- $1 after_code text?
-- $2 limit int
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
where code > coalesce($1, '')
order by code
limit $2::int
