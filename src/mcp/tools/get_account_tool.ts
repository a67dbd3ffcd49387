/**
 * The tool `get_account`: the balance, the limits, the latest calls, and the status of access requests.
 *
 * @module
 */
import type { AccessRequests } from "../../access/access_shapes.ts";
import {
  DATA_NOT_INSTRUCTIONS,
  defineTool,
  problemResult,
  structured,
  withoutNull,
} from "../tool.ts";
import { parseExactObject } from "../values.ts";

const EVENTS_LISTED = 10;
const REQUESTS_LISTED = 10;

export const getAccount = defineTool({
  name: "get_account",
  title: "Show the account",
  description: `Shows the balance in credits, the limits, recent calls with their cost, and recent access requests with the providers' answers. ${DATA_NOT_INSTRUCTIONS}`,
  parameters: {},
  async run({ ask }) {
    const [account, usage, asked] = await Promise.all([
      ask({ path: "/v1/account" }),
      ask({ path: `/v1/usage?limit=${EVENTS_LISTED}` }),
      ask({ path: `/v1/account/access-requests?limit=${REQUESTS_LISTED}` }),
    ]);
    if (account.status !== 200) return problemResult(account);
    if (usage.status !== 200) return problemResult(usage);
    if (asked.status !== 200) return problemResult(asked);
    const { usage: events } = parseExactObject(usage.text);
    const { requests }: AccessRequests = JSON.parse(asked.text);
    return structured({
      ...parseExactObject(account.text),
      usage: events,
      access_requests: requests.map(({ account_id: _, account_name: _name, ...request }) =>
        withoutNull(request),
      ),
    });
  },
});
