-- name: create_promotion
-- why: creates a promotion code; no row if the code exists with other content
-- :code text
-- :amount_nanos bigint
-- :max_redemptions int?
-- :expires_at timestamptz?
-- :actor text?
-- returns amount_nanos bigint, max_redemptions int?, expires_at timestamptz?, created_at timestamptz,
--   is_new boolean
insert into promotion_codes as codes (code, amount_nanos, max_redemptions, expires_at)
select :code, :amount_nanos, :max_redemptions, :expires_at
from act_as(:actor)
-- A write that changes nothing, so that the existing row is returned.
on conflict (code) do update
set code = codes.code
where codes.amount_nanos = :amount_nanos
  and codes.max_redemptions is not distinct from :max_redemptions
  and codes.expires_at is not distinct from :expires_at
returning codes.amount_nanos, codes.max_redemptions, codes.expires_at, codes.created_at,
  -- An inserted row has no xmax. That of an updated one is the transaction that locked it.
  codes.xmax = 0 as is_new
