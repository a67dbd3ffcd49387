-- Appends events to a stream. Called by push_to_feed, under the feed's lock; its parameters are told there.
--
-- The first of a row id wins: what the stream has already is left as it is. Positions count up in the
-- order of the push; those of rows that are skipped stay unused.
create or replace function push_stream(
  pushed_feed_id uuid,
  first_position bigint,
  received_at timestamptz,
  row_texts text,
  row_ids text[],
  event_times timestamptz[],
  out rows_inserted int
)
language plpgsql
as $$
#variable_conflict use_column
declare
  -- The last key of a row that came without a time, and its end.
  stamp constant text := ',"event_timestamp":"'
    || to_char(received_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') || 'Z"}';
begin
  insert into stream_events (feed_id, position, row_id, event_at, payload)
  select
    pushed_feed_id,
    first_position + pushed.place - 1,
    pushed.row_id,
    coalesce(pushed.event_at, received_at),
    case when pushed.event_at is null then pushed.row_text || stamp else pushed.row_text end::json
  from rows from (
    string_to_table(row_texts, E'\n'), unnest(row_ids), unnest(event_times)
  ) with ordinality as pushed (row_text, row_id, event_at, place)
  order by pushed.place
  on conflict (feed_id, row_id) do nothing;
  get diagnostics rows_inserted = row_count;
end
$$;
