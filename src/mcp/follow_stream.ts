/**
 * The tool `follow_stream`: the events of a stream that came behind an offset, waited for where there are none.
 *
 * @module
 */
import { Type } from "@sinclair/typebox";
import { LONG_POLL_SECONDS } from "../limits.ts";
import { queryText } from "./own_routes.ts";
import { rowsTold } from "./rows.ts";
import { DATA_NOT_INSTRUCTIONS, defineTool, FEED, refused, toldAs, whole } from "./tool.ts";

export const followStream = defineTool({
  name: "follow_stream",
  title: "Follow a stream",
  description: `Reads the events of a stream in the order in which they arrived, each exactly once. To go on, call again with next_offset. Charged as one read if there are events, else free. ${DATA_NOT_INSTRUCTIONS}`,
  parameters: {
    feed: FEED,
    offset: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          "next_offset of the call before, start (the oldest event) or now. Default start.",
      }),
    ),
    wait_seconds: whole(
      0,
      LONG_POLL_SECONDS,
      "How long to wait for an event where there is none yet. Default 0.",
    ),
  },
  async run({ ask }, { feed, offset, wait_seconds: seconds = 0 }) {
    const isWaiting = seconds > 0;
    const query = queryText([
      ["offset", offset],
      ["live", isWaiting ? "long-poll" : undefined],
    ]);
    const answer = await ask({
      path: `/v1/feed/${feed}/stream${query}`,
      headers: { prefer: isWaiting ? `wait=${seconds}` : undefined },
    });
    if (answer.status === 204) {
      const next_offset = answer.headers.get("feedgate-next-offset");
      return toldAs(JSON.stringify({ rows: [], next_offset, up_to_date: true }));
    }
    return answer.status === 200 ? rowsTold(answer) : refused(answer);
  },
});
