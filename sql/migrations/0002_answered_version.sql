-- Binds an Idempotency-Key to what the read under it was answered with, so that a repeat gives the same and nothing newer.

-- answered_version: of the feed's data. Null: the key was used before this column was there.
-- begins_after: of a follower's page, the position behind which it begins. One that began at `now` can't be found
--   again without it. Null: it is no such page.
alter table idempotency_keys
  add column answered_version bigint,
  add column begins_after bigint;
