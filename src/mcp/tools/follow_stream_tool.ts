/**
 * The tool `follow_stream`: the events of a stream after an offset. If there are none yet, it waits for them.
 *
 * @module
 */
import { Type } from "@sinclair/typebox";
import { queryText } from "../../http/query_string.ts";
import { text } from "../../lib/typebox.ts";
import { LONG_POLL_SECONDS } from "../../limits.ts";
import { ROWS_ARGUMENTS, readRows } from "../rows.ts";
import { CALL_PRICE, DATA_NOT_INSTRUCTIONS, defineTool, FEED, structured, whole } from "../tool.ts";

export const followStream = defineTool({
  name: "follow_stream",
  title: "Follow a stream",
  description: `Reads events of a stream in order of arrival, each exactly once, up to 20 per call. Without offset it starts with the oldest event. For the newest events, use read_feed; for future events only, start with offset now. To continue, call again with next_offset as offset. A call that returns events costs one read; an empty one is free. ${CALL_PRICE} ${DATA_NOT_INSTRUCTIONS}`,
  parameters: {
    feed: FEED,
    offset: Type.Optional(
      text({
        minLength: 1,
        description:
          "next_offset of the previous call, start (the oldest event) or now. Default start.",
      }),
    ),
    wait_seconds: whole(
      0,
      LONG_POLL_SECONDS,
      "How long to wait for an event if there is none yet. Default 0.",
    ),
    ...ROWS_ARGUMENTS,
  },
  run({ ask }, { feed, offset, wait_seconds: seconds = 0, ...given }) {
    const isWaiting = seconds > 0;
    const query = queryText([
      ["offset", offset],
      ["live", isWaiting ? "long-poll" : undefined],
    ]);
    return readRows(
      ask,
      {
        path: `/v1/feed/${feed}/stream${query}`,
        headers: { prefer: isWaiting ? `wait=${seconds}` : undefined },
        given,
      },
      // 204: nothing came in time.
      ({ headers }) => {
        const next_offset = headers.get("feedgate-next-offset");
        return structured({ rows: [], next_offset, up_to_date: true });
      },
    );
  },
});
