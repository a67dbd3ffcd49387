/**
 * The tool `get_account`: what is left, what the limits are, and the last calls.
 *
 * @module
 */
import { defineTool, problemResult, structured } from "../tool.ts";
import { parseExactObject } from "../values.ts";

const EVENTS_LISTED = 10;

export const getAccount = defineTool({
  name: "get_account",
  title: "Show the account",
  description: "Shows the balance in credits, the limits, and the last calls with what they cost.",
  parameters: {},
  async run({ ask }) {
    const [account, usage] = await Promise.all([
      ask({ path: "/v1/account" }),
      ask({ path: `/v1/usage?limit=${EVENTS_LISTED}` }),
    ]);
    if (account.status !== 200) return problemResult(account);
    if (usage.status !== 200) return problemResult(usage);
    const { usage: events } = parseExactObject(usage.text);
    return structured({ ...parseExactObject(account.text), usage: events });
  },
});
