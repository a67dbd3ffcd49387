/**
 * The tool `get_records`: whole rows by their ids.
 *
 * @module
 */
import { Type } from "@sinclair/typebox";
import { isObject } from "../lib/records.ts";
import { IDS_MAX } from "../limits.ts";
import { queryText } from "./own_routes.ts";
import { rowsTold } from "./rows.ts";
import { DATA_NOT_INSTRUCTIONS, defineTool, FEED, refused } from "./tool.ts";

export const getRecords = defineTool({
  name: "get_records",
  title: "Get records by id",
  description: `Reads whole rows by their ids, and says which ids the feed does not have. Charged as one read. ${DATA_NOT_INSTRUCTIONS}`,
  parameters: {
    feed: FEED,
    ids: Type.Array(Type.String({ minLength: 1 }), {
      minItems: 1,
      maxItems: IDS_MAX,
      description: `Up to ${IDS_MAX} record ids.`,
    }),
  },
  async run({ ask }, { feed, ids }) {
    const answer = await ask({
      path: `/v1/feed/${feed}${queryText(ids.map((id) => ["ids", id] as const))}`,
    });
    if (answer.status !== 200) return refused(answer);
    return rowsTold(answer, {
      besides: (rows) => {
        const found = new Set(rows().map((row) => (isObject(row) ? String(row.id) : "")));
        return { missing: ids.filter((id) => !found.has(id)) };
      },
    });
  },
});
