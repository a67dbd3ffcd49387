-- name: count_push
-- why: counts a push that is refused for its content, like any other
-- :feed_id uuid
-- :account_id uuid
-- :key_id uuid
-- :definition_version bigint?
-- :window_limit int
-- :window_us bigint
-- returns outcome text, window_used int?, reset_seconds bigint?, retry_after_ms int?
select admission as outcome, window_used, reset_seconds, retry_after_ms
from admit_push(
  pushed_feed_id => :feed_id,
  pusher_account_id => :account_id,
  pusher_key_id => :key_id,
  planned_version => :definition_version,
  window_limit => :window_limit,
  window_us => :window_us
)
