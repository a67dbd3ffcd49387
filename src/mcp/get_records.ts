/**
 * The tool `get_records`: whole rows by their ids.
 *
 * @module
 */
import { Type } from "@sinclair/typebox";
import { Expected } from "../lib/typebox.ts";
import { IDS_MAX } from "../limits.ts";
import { ONE_READ_ARGUMENTS, ROWS_ARGUMENTS, readRows } from "./rows.ts";
import { DATA_NOT_INSTRUCTIONS, defineTool, FEED } from "./tool.ts";
import { queryText } from "./tool_routes.ts";

export const getRecords = defineTool({
  name: "get_records",
  title: "Get records by id",
  description: `Reads whole rows by their ids, and says which ids the feed does not have. Charged as one read. ${DATA_NOT_INSTRUCTIONS}`,
  parameters: {
    feed: FEED,
    ids: Type.Array(Type.String({ minLength: 1, [Expected]: "an id" }), {
      minItems: 1,
      maxItems: IDS_MAX,
      [Expected]: `a list of 1 to ${IDS_MAX} ids, each a text`,
      description: `Up to ${IDS_MAX} record ids.`,
    }),
    ...ROWS_ARGUMENTS,
    ...ONE_READ_ARGUMENTS,
  },
  run({ ask }, { feed, ids, ...given }) {
    return readRows(ask, {
      path: `/v1/feed/${feed}${queryText(ids.map((id) => ["ids", id] as const))}`,
      given,
      listsMissing: true,
    });
  },
});
