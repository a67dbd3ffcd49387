-- name: create_promotion
-- why: makes a promotion code; no row if the code exists with other content
-- $1 code text
-- $2 amount_nanos bigint
-- $3 max_redemptions int?
-- $4 expires_at timestamptz?
-- $5 actor text?
-- returns amount_nanos bigint, max_redemptions int?, expires_at timestamptz?, created_at timestamptz
insert into promotion_codes as codes (code, amount_nanos, max_redemptions, expires_at)
select $1, $2, $3, $4
from act_as($5)
-- A write that changes nothing, so that the row that is there comes back.
on conflict (code) do update
set code = codes.code
where codes.amount_nanos = $2
  and codes.max_redemptions is not distinct from $3
  and codes.expires_at is not distinct from $4
returning codes.amount_nanos, codes.max_redemptions, codes.expires_at, codes.created_at
