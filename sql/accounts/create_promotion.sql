-- name: create_promotion
-- why: makes a promotion code; if the code exists, returns that one
-- $1 code text
-- $2 amount_nanos bigint
-- $3 max_redemptions int?
-- $4 expires_at timestamptz?
-- returns code text, amount_nanos bigint, max_redemptions int?, expires_at timestamptz?,
--   created_at timestamptz, is_same boolean
insert into promotion_codes as codes (code, amount_nanos, max_redemptions, expires_at)
values ($1, $2, $3, $4)
-- A write that changes nothing, so that the row that is there comes back.
on conflict (code) do update
set code = codes.code
returning
  codes.code,
  codes.amount_nanos,
  codes.max_redemptions,
  codes.expires_at,
  codes.created_at,
  codes.amount_nanos = $2
    and codes.max_redemptions is not distinct from $3
    and codes.expires_at is not distinct from $4 as is_same
