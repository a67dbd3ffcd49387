/**
 * All tools: as they are listed, and how one is called.
 *
 * @module
 */
import { schemaProperties } from "../feeds/schema_properties.ts";
import { problemAnswer } from "../http/errors.ts";
import { parameterProblem } from "../http/validation.ts";
import { SCHEMA_HINT_MAX } from "../limits.ts";
import { GATEWAY } from "../postgres/client/query.ts";
import type { Services } from "../services.ts";
import { describeFeed } from "./describe_feed.ts";
import { followStream } from "./follow_stream.ts";
import { getAccount } from "./get_account.ts";
import { getRecords } from "./get_records.ts";
import { type ClientRequest, ownRoutes } from "./own_routes.ts";
import { readFeed } from "./read_feed.ts";
import { searchFeeds } from "./search_feeds.ts";
import { refused, type Tool, type ToolAnswer } from "./tool.ts";

/** What a message is answered with. */
export interface Exchange {
  readonly services: Services;
  /** The app that has all other routes. */
  readonly handle: (request: Request) => Promise<Response>;
  readonly client: ClientRequest;
}

export const TOOLS: ReadonlyMap<string, Tool> = new Map(
  [searchFeeds, describeFeed, readFeed, getRecords, followStream, getAccount].map((tool) => [
    tool.name,
    tool,
  ]),
);

export const LISTED_TOOLS = [...TOOLS.values()].map(
  ({ name, title, description, inputSchema }) => ({
    name,
    title,
    description,
    inputSchema,
    annotations: { readOnlyHint: true, openWorldHint: true },
  }),
);

/** Arguments that the tool does not take are refused like a route's wrong parameters. */
export async function callTool(
  tool: Tool,
  given: Record<string, unknown>,
  { services, handle, client }: Exchange,
): Promise<ToolAnswer> {
  const baseUrl = services.http.baseUrl();
  if (!tool.check.Check(given)) {
    const { requestId } = client;
    const problem = parameterProblem(tool.check, given);
    return refused({
      text: String(problemAnswer(problem, { requestId, baseUrl, isKeyed: true }).body),
    });
  }
  return tool.run(
    {
      ask: ownRoutes(handle, { client, baseUrl }),
      async fieldsOf(feedIds) {
        const rows = await services.reader.rows(GATEWAY, "list_schemas", [feedIds]);
        return new Map(rows.map((row) => [row.feed_id, fieldNames(row.schema_definition)]));
      },
    },
    given,
  );
}

/** The first top-level properties of a schema. */
function fieldNames(schema: string | null): readonly string[] {
  return schemaProperties(schema)
    .slice(0, SCHEMA_HINT_MAX)
    .map(([name]) => name);
}
