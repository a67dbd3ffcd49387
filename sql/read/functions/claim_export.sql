-- Counts an export in the limit of its account and feed, and records what its version shows. Exports of one account and
-- feed are counted one by one.
--
-- exports_limit: exports in window_us (microseconds)
-- is_granted: whether there was room; if not, nothing is recorded
-- used: exports in the window, including this one if it is granted
-- reset_seconds: when the oldest of them leaves the window, in seconds of the Unix epoch, rounded up
-- retry_after_ms: until a full window has room; null if it is not full
create or replace function claim_export(
  new_export_id uuid, -- :export_id
  reader_account_id uuid, -- :account_id
  exported_feed_id uuid, -- :feed_id
  shown_version bigint, -- :data_version
  shown_batch bigint, -- :batch_number
  shown_position bigint, -- :last_position
  exports_limit int, -- :exports_limit
  window_us bigint, -- :window_us
  out is_granted boolean, -- :is_granted
  out used int, -- :used
  out reset_seconds bigint, -- :reset_seconds
  out retry_after_ms bigint -- :retry_after_ms?
)
language plpgsql
as $$
#variable_conflict use_column
declare
  moment timestamptz;
  span constant interval := make_interval(secs => window_us / 1000000.0);
  times timestamptz[];
begin
  perform pg_advisory_xact_lock(
    hashtextextended(reader_account_id::text || exported_feed_id::text, 0)
  );
  moment := clock_timestamp();
  times := array(
    select exports.happened_at
    from exports
    where exports.account_id = reader_account_id
      and exports.feed_id = exported_feed_id
      and exports.happened_at > moment - span
    order by exports.happened_at
  );
  used := cardinality(times);
  is_granted := used < exports_limit;
  reset_seconds := ceil(extract(epoch from coalesce(times[1], moment) + span));
  if not is_granted then
    retry_after_ms := ceil(
      extract(epoch from times[used - exports_limit + 1] + span - moment) * 1000
    );
    return;
  end if;
  insert into exports (
    export_id, account_id, feed_id, data_version, batch_number, last_position, happened_at
  )
  values (
    new_export_id, reader_account_id, exported_feed_id, shown_version, shown_batch, shown_position,
    moment
  );
  used := used + 1;
end
$$;
