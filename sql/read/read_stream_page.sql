-- name: read_stream_page
-- why: a page of a stream, newest event first; one extra row shows whether there is more
-- :feed_id uuid
-- :before_event_at timestamptz?
-- :before_position bigint?
-- :start_time timestamptz?
-- :end_time timestamptz?
-- :offset bigint
-- :limit int
-- :names text[]
-- :texts text[]
-- :literals jsonb[]
-- :work_max bigint
-- :whole_max bigint
-- returns data_version bigint, unindexed bigint, is_refused boolean, data text?,
--   last_event_at timestamptz?, last_position bigint?, oldest_event_at timestamptz?, has_more boolean
select
  page.data_version,
  page.unindexed,
  page.is_refused,
  page.data,
  page.last_event_at,
  page.last_position,
  page.oldest_event_at,
  page.has_more
from read_stream_page(
  read_feed_id => :feed_id,
  before_event_at => :before_event_at,
  before_position => :before_position,
  since => :start_time,
  until => :end_time,
  rows_skipped => :offset,
  rows_max => :limit,
  names => :names,
  texts => :texts,
  literals => :literals,
  work_max => :work_max,
  whole_max => :whole_max
) as page
