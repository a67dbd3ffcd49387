-- Appends events to a stream. Called under the feed's lock by write_push, which describes the parameters.
--
-- The first row of an id stays, so a row that the stream already has is unchanged. Positions increase in push order.
-- The positions of skipped rows stay unused, and if all rows are skipped, none is assigned.
--
-- Most pushes contain only new events, so that is tried first: looking up each row first costs a third of storing it.
-- If one exists already, the unique index ends the attempt, and all are looked up. The feed's lock excludes other
-- writers, so the result of the look-up stays true.
--
-- outcomes: one letter per row, in push order: i (inserted) or d (duplicate)
create or replace function push_stream(
  pushed_feed_id uuid,
  first_position bigint,
  received_at timestamptz,
  row_texts text,
  row_ids text[],
  event_times timestamptz[],
  out outcomes text
)
language plpgsql
as $$
#variable_conflict use_column
declare
  -- The last key of a row that was sent without a time, and its end.
  stamp constant text := ',"event_timestamp":"'
    || to_char(received_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') || 'Z"}';
  -- If a provider repeats itself, usually its first or last row is known.
  is_looked_up boolean := exists (
    select
    from unnest(array[row_ids[1], row_ids[cardinality(row_ids)]]) as edge (row_id)
    where (
      select stored.position
      from stream_events as stored
      where stored.feed_id = pushed_feed_id
        and stored.row_id = edge.row_id
    ) is not null
  );
  rows_added bigint;
  bytes_added bigint;
begin
  loop
    outcomes := repeat('i', cardinality(row_ids));
    if is_looked_up then
      -- A subquery instead of a join, because it has only one possible plan: by the key, however small the table was
      -- when the plan was made.
      select string_agg(
        case when (
          select stored.position
          from stream_events as stored
          where stored.feed_id = pushed_feed_id
            and stored.row_id = pushed.row_id
        ) is null then 'i' else 'd' end,
        '' order by pushed.place
      )
      into outcomes
      from unnest(row_ids) with ordinality as pushed (row_id, place);
    end if;
    begin
      insert into stream_events (feed_id, position, row_id, event_at, payload)
      select
        pushed_feed_id,
        first_position + pushed.place - 1,
        pushed.row_id,
        coalesce(pushed.event_at, received_at),
        case
          when pushed.event_at is null then pushed.row_text || stamp
          else pushed.row_text
        end::json
      from rows from (string_to_table(row_texts, E'\n'), unnest(row_ids), unnest(event_times))
        with ordinality as pushed (row_text, row_id, event_at, place)
      where not is_looked_up or substr(outcomes, pushed.place::int, 1) = 'i';
      get diagnostics rows_added = row_count;
      exit;
    exception when unique_violation then
      if is_looked_up then
        raise;
      end if;
      is_looked_up := true;
    end;
  end loop;

  if outcomes like '%i%' then
    -- Counted from the input, because returning the size of each stored row would take a third of the whole.
    if is_looked_up then
      select sum(
        octet_length(pushed.row_text) + case when pushed.event_at is null then octet_length(stamp) else 0 end
      )
      into bytes_added
      from rows from (string_to_table(row_texts, E'\n'), unnest(event_times))
        with ordinality as pushed (row_text, event_at, place)
      where substr(outcomes, pushed.place::int, 1) = 'i';
    else
      bytes_added := octet_length(row_texts) - (cardinality(row_ids) - 1)
        + octet_length(stamp) * (cardinality(row_ids) - cardinality(array_remove(event_times, null)));
    end if;
    perform add_row_totals(pushed_feed_id, 0, rows_added, bytes_added);
  end if;
end
$$;
