/**
 * All tools: how they are listed, and how one is called.
 *
 * @module
 */

import { triedUnlogged } from "../api/callers/unlogged_calls.ts";
import { argumentProblem } from "../api/problems/validation.ts";
import type { Config } from "../config.ts";
import { schemaHint } from "../feeds/schema_properties.ts";
import { TOOL_WORDS } from "../http/face_words.ts";
import { Problem, problemAnswer } from "../http/problem_details.ts";
import { problemResult, type Tool, type ToolAnswer, type ToolGateway } from "./tool.ts";
import { type Exchange, toolRoutes } from "./tool_routes.ts";
import { buyFeed } from "./tools/buy_feed_tool.ts";
import { describeFeed } from "./tools/describe_feed_tool.ts";
import { followStream } from "./tools/follow_stream_tool.ts";
import { getAccount } from "./tools/get_account_tool.ts";
import { getRecords } from "./tools/get_records_tool.ts";
import { readFeed } from "./tools/read_feed_tool.ts";
import { requestAccess } from "./tools/request_access_tool.ts";
import { searchFeeds } from "./tools/search_feeds_tool.ts";
import { topUp } from "./tools/top_up_tool.ts";

const TOOLS: readonly Tool[] = [
  searchFeeds,
  describeFeed,
  readFeed,
  getRecords,
  followStream,
  buyFeed,
  requestAccess,
  getAccount,
];
const TOOLS_BY_NAME = toolsByName(TOOLS);
/** With those of a gateway at which accounts pay for credits by themselves. */
const PAYING_TOOLS_BY_NAME = toolsByName([...TOOLS, topUp]);

/** The tools of this gateway, by name. */
export function toolsOf({ topups }: Pick<Config, "topups">): ReadonlyMap<string, Tool> {
  return topups === undefined ? TOOLS_BY_NAME : PAYING_TOOLS_BY_NAME;
}

function toolsByName(tools: readonly Tool[]): ReadonlyMap<string, Tool> {
  return new Map(tools.map((tool) => [tool.name, tool]));
}

/** The same as clients list them. */
export function listedTools(config: Pick<Config, "topups">) {
  return [...toolsOf(config).values()].map(
    ({ name, title, description, inputSchema, isReadOnly = true, isRepeatable = true }) => ({
      name,
      title,
      description,
      inputSchema,
      annotations: isReadOnly
        ? { readOnlyHint: true, openWorldHint: true }
        : // It destroys nothing.
          {
            readOnlyHint: false,
            destructiveHint: false,
            idempotentHint: isRepeatable,
            openWorldHint: true,
          },
    }),
  );
}

/** Arguments that the tool does not take are refused like a route's wrong parameters. */
export async function callTool(
  tool: Tool,
  given: Record<string, unknown>,
  exchange: Exchange,
): Promise<ToolAnswer> {
  const { services, request, requestId } = exchange;
  const { readsFree: free, readsPaid: paid } = services.config.limits;
  const gateway: ToolGateway = {
    ask: toolRoutes(exchange),
    readLimits: { free, paid },
    async fieldsOf(feedIds) {
      const caller = await services.keys.findCaller(request.headers);
      if (caller === undefined || feedIds.length === 0) return new Map();
      const { id: accountId } = caller.account;
      const asked = { feed_ids: feedIds, reader_id: accountId };
      const rows = await services.reader.rows(accountId, "list_schemas", asked);
      return new Map(rows.map((row) => [row.feed_id, schemaHint(row.schema_definition)]));
    },
  };
  if (tool.check.Check(given)) return tool.run(gateway, given);
  // No route counts this call. One without a key was counted by its network.
  const caller = await services.keys.findCaller(request.headers);
  const refused = caller && triedUnlogged(services, caller, "mcp");
  const problem = refused ?? (await wrongArguments(tool, given, gateway));
  const baseUrl = services.http.baseUrl();
  return problemResult({
    text: String(problemAnswer(problem, { requestId, baseUrl, isKeyed: true }).body),
  });
}

async function wrongArguments(
  tool: Tool,
  given: Record<string, unknown>,
  gateway: ToolGateway,
): Promise<Problem> {
  const wrong = argumentProblem(tool.check, given);
  const help = await tool.help?.(gateway, given);
  const said = wrong.detailIn(TOOL_WORDS);
  return new Problem(wrong.code, {
    ...wrong.options,
    detail: help === undefined ? said : `${said} ${help}`,
  });
}
