/**
 * The tool `read_feed`: a page of rows, or a singleton's document as one row.
 *
 * @module
 */
import { Type } from "@sinclair/typebox";
import { Expected } from "../lib/types.ts";
import { FILTERS_MAX } from "../limits.ts";
import { queryText } from "./own_routes.ts";
import { rowsTold } from "./rows.ts";
import { DATA_NOT_INSTRUCTIONS, defineTool, FEED, refused, whole } from "./tool.ts";

const CHARS_DEFAULT = 32_000;
const CHARS_MAX = 80_000;
/** Of the text, what is beside the rows: cursor, receipt, limits and the next step. */
const CHARS_BESIDE_ROWS = 700;
const FIELDS_MAX = 50;

/** An empty row does not tell a field that is misspelt from one that is seldom there. */
function inNoRow(fields: readonly string[], rows: readonly unknown[]): readonly string[] {
  if (rows.length === 0) return [];
  return fields.filter((name) => !rows.some((row) => Object.hasOwn(Object(row), name)));
}

export const readFeed = defineTool({
  name: "read_feed",
  title: "Read a feed",
  description: `Reads a page of a feed's rows. A call of a metered feed is charged its price. To go on, call again with next_cursor and the same filters. ${DATA_NOT_INSTRUCTIONS}`,
  parameters: {
    feed: FEED,
    filters: Type.Optional(
      Type.Record(
        Type.String(),
        Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()]),
        {
          maxProperties: FILTERS_MAX,
          description: "Top-level field and the value that it must equal; all must hold.",
        },
      ),
    ),
    fields: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        minItems: 1,
        maxItems: FIELDS_MAX,
        uniqueItems: true,
        description: "Top-level fields to keep of each row.",
      }),
    ),
    jsonpath: Type.Optional(
      Type.String({ description: "Projection of the rows, such as $[*].name." }),
    ),
    start_time: Type.Optional(
      Type.String({ description: "Streams: RFC 3339, inclusive lower bound of event_timestamp." }),
    ),
    end_time: Type.Optional(Type.String({ description: "Streams: inclusive upper bound." })),
    limit: whole(1, undefined, "Rows on the page; above 100 is capped. Default 20."),
    cursor: Type.Optional(Type.String({ description: "next_cursor of the page before." })),
    max_chars: whole(
      1,
      undefined,
      `Length of the answer's text, which ends at a row. Default ${CHARS_DEFAULT}; above ${CHARS_MAX} is capped.`,
    ),
    max_credits: Type.Optional(
      Type.Number({ minimum: 0, description: "A call that costs more is refused, uncharged." }),
    ),
    idempotency_key: Type.Optional(
      Type.String({
        // It becomes a header, which can't hold more.
        pattern: "^[\\x21-\\x7e]{1,255}$",
        [Expected]: "1 to 255 visible ASCII characters",
        description:
          "A repeat with the same key is charged once, for 24 hours and while the data has not changed.",
      }),
    ),
  },
  async run({ ask }, { feed, filters = {}, fields, jsonpath, ...given }) {
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
    const charsMax = Math.min(given.max_chars ?? CHARS_DEFAULT, CHARS_MAX);
    const answer = await ask({
      path: `/v1/feed/${feed}${parameters}`,
      headers: {
        "feedgate-max-chars": String(Math.max(1, charsMax - CHARS_BESIDE_ROWS)),
        "feedgate-max-credits": given.max_credits?.toString(),
        "idempotency-key": given.idempotency_key,
      },
    });
    if (answer.status !== 200) return refused(answer);
    return rowsTold(answer, {
      fields,
      besides: (rows) =>
        fields === undefined ? {} : { fields_not_found: inNoRow(fields, rows()) },
      next: "Call read_feed again with this next_cursor and the same filters for the next rows.",
    });
  },
});
