/**
 * The tool `read_feed`: a page of rows, or a singleton's document as one row.
 *
 * @module
 */
import { Type } from "@sinclair/typebox";
import { queryText } from "../../http/query_string.ts";
import { Expected } from "../../lib/typebox.ts";
import { FILTERS_MAX } from "../../limits.ts";
import { ONE_READ_ARGUMENTS, ROWS_ARGUMENTS, readRows } from "../rows.ts";
import { CALL_PRICE, DATA_NOT_INSTRUCTIONS, defineTool, FEED, whole } from "../tool.ts";

const CHARS_DEFAULT = 32_000;
const CHARS_MAX = 80_000;
/** Characters of the text beside the rows: cursor, receipt, limits and the next step. */
const CHARS_BESIDE_ROWS = 700;

export const readFeed = defineTool({
  name: "read_feed",
  title: "Read a feed",
  description: `Reads a page of a feed's rows. Each call on a metered feed costs the same regardless of how many rows it returns, even none: use limit 100 if you want many. ${CALL_PRICE} To continue, call again with next_cursor as cursor and all other arguments unchanged. ${DATA_NOT_INSTRUCTIONS}`,
  parameters: {
    feed: FEED,
    filters: Type.Optional(
      Type.Record(
        Type.String(),
        Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()], {
          [Expected]: "a string, a number, true, false or null",
        }),
        {
          maxProperties: FILTERS_MAX,
          [Expected]: `an object of at most ${FILTERS_MAX} fields`,
          description: "Top-level fields and the values that they must equal; all must match.",
        },
      ),
    ),
    ...ROWS_ARGUMENTS,
    jsonpath: Type.Optional(
      Type.String({
        description: "Projection of the rows, such as $[*].name. Each matched value is one row.",
      }),
    ),
    start_time: Type.Optional(
      Type.String({ description: "Streams: RFC 3339, inclusive lower bound of event_timestamp." }),
    ),
    end_time: Type.Optional(Type.String({ description: "Streams: inclusive upper bound." })),
    limit: whole(
      1,
      undefined,
      "Rows per page, at most 100. Default 20. Does not change the price of the call.",
    ),
    cursor: Type.Optional(Type.String({ description: "next_cursor of the previous page." })),
    max_chars: whole(
      1,
      undefined,
      `Maximum characters of the response. A longer page ends at an earlier row, and next_cursor continues there. A longer document is refused and not charged, as is a jsonpath that selects rows by position. Default ${CHARS_DEFAULT}, at most ${CHARS_MAX}.`,
    ),
    ...ONE_READ_ARGUMENTS,
  },
  run({ ask }, { feed, filters = {}, jsonpath, max_chars, ...given }) {
    const parameters = queryText([
      ["limit", given.limit],
      ["cursor", given.cursor],
      ["start_time", given.start_time],
      ["end_time", given.end_time],
      ["jsonpath", jsonpath],
      ...Object.entries(filters).map(
        ([name, value]) => [`payload.${name}`, `eq.${value}`] as const,
      ),
    ]);
    const charsMax = Math.min(max_chars ?? CHARS_DEFAULT, CHARS_MAX);
    // Those that no row has are named.
    const charsBeside = CHARS_BESIDE_ROWS + JSON.stringify(given.fields ?? "").length;
    return readRows(ask, {
      path: `/v1/feed/${feed}${parameters}`,
      headers: { "feedgate-max-chars": String(Math.max(1, charsMax - charsBeside)) },
      given,
      next: "For the next rows, call read_feed again with this next_cursor as cursor and all other arguments unchanged. It is charged as another read.",
    });
  },
});
