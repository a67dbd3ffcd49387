/**
 * The tool `get_records`: complete rows by id.
 *
 * @module
 */
import { Type } from "@sinclair/typebox";
import { queryText } from "../../http/query_string.ts";
import { Expected } from "../../lib/typebox.ts";
import { IDS_MAX } from "../../limits.ts";
import { ONE_READ_ARGUMENTS, ROWS_ARGUMENTS, readRows } from "../rows.ts";
import { CALL_PRICE, DATA_NOT_INSTRUCTIONS, defineTool, FEED } from "../tool.ts";

/** `1` and `"1"` are the same id. A larger number has lost digits before it is here. */
const ID = Type.Union(
  [
    Type.String({ minLength: 1 }),
    Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }),
  ],
  { [Expected]: "an id: a string, or an integer within ±2^53" },
);

export const getRecords = defineTool({
  name: "get_records",
  title: "Get records by id",
  description: `Reads complete rows by id, and lists ids that the feed does not contain. Charged as one read. ${CALL_PRICE} ${DATA_NOT_INSTRUCTIONS}`,
  parameters: {
    feed: FEED,
    ids: Type.Array(ID, {
      minItems: 1,
      maxItems: IDS_MAX,
      [Expected]: `a list of 1 to ${IDS_MAX} ids, each a string or an integer`,
      description: `Up to ${IDS_MAX} record ids. Send numbers of more than 15 digits as strings.`,
    }),
    ...ROWS_ARGUMENTS,
    ...ONE_READ_ARGUMENTS,
  },
  run({ ask }, { feed, ids, ...given }) {
    return readRows(ask, {
      path: `/v1/feed/${feed}${queryText(ids.map((id) => ["ids", String(id)] as const))}`,
      given,
      listsMissing: true,
    });
  },
});
