-- name: read_collection_page
-- why: a page of a collection's batch in arrival order; one extra row shows whether there is more
-- :feed_id uuid
-- :batch_number bigint?
-- :after_position bigint
-- :offset bigint
-- :limit int
-- :names text[]
-- :texts text[]
-- :literals jsonb[]
-- :grace interval
-- :work_max bigint
-- :whole_max bigint
-- returns data_version bigint, batch_number bigint?, is_current boolean?, is_readable boolean?,
--   unindexed bigint, is_refused boolean, data text?, last_position bigint?, has_more boolean
select
  page.data_version,
  page.batch_number,
  page.is_current,
  page.is_readable,
  page.unindexed,
  page.is_refused,
  page.data,
  page.last_position,
  page.has_more
from read_collection_page(
  read_feed_id => :feed_id,
  read_batch => :batch_number,
  after_position => :after_position,
  rows_skipped => :offset,
  rows_max => :limit,
  names => :names,
  texts => :texts,
  literals => :literals,
  grace => :grace,
  work_max => :work_max,
  whole_max => :whole_max
) as page
