/**
 * The tool `get_account`: what is left, what the limits are, and the last calls.
 *
 * @module
 */
import { assert } from "../lib/assert.ts";
import { isObject } from "../lib/records.ts";
import { defineTool, problemResult, structured } from "./tool.ts";
import { parseExact } from "./values.ts";

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
    const { usage: events } = recordOf(usage.text);
    return structured({ ...recordOf(account.text), usage: events });
  },
});

/** Amounts keep their digits. */
function recordOf(text: string): Record<string, unknown> {
  const parsed = parseExact(text);
  assert(isObject(parsed), "the answers of the account's routes are objects");
  return parsed;
}
