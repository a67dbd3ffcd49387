/**
 * The tool `get_account`: what is left, what the limits are, and the last calls.
 *
 * @module
 */
import { defineTool, refused, told } from "./tool.ts";

const EVENTS_TOLD = 10;

export const getAccount = defineTool({
  name: "get_account",
  title: "Show the account",
  description: "Tells the balance in credits, the limits, and the last calls with what they cost.",
  parameters: {},
  async run({ ask }) {
    const [account, usage] = await Promise.all([
      ask({ path: "/v1/account" }),
      ask({ path: `/v1/usage?limit=${EVENTS_TOLD}` }),
    ]);
    if (account.status !== 200) return refused(account);
    if (usage.status !== 200) return refused(usage);
    const { usage: events } = JSON.parse(usage.text);
    return told({ ...JSON.parse(account.text), usage: events });
  },
});
