/**
 * Events that a test has written past a push get what the push writes beside them.
 *
 * @module
 */
import { arrayLiteral } from "../../src/postgres/client/array_literal.ts";
import type { Connections } from "../../src/postgres/client/connect.ts";

/** As if pushes of up to 1,000 events had come. Events that are indexed already are left out. */
export async function noteArrivals(sql: Connections, feedIds: readonly string[]): Promise<void> {
  await sql`
    insert into stream_arrivals (feed_id, first_position, last_position, received_at, event_times)
    select
      feed_id, min(position), max(position), '-infinity', array_agg(event_at order by position)
    from stream_events
    where feed_id = any (${arrayLiteral(feedIds)}::uuid[])
      and position > coalesce(
        (select indexed_position from filter_indexes
         where filter_indexes.feed_id = stream_events.feed_id and batch_number = 0),
        0
      )
    group by feed_id, position / 1000`;
}
