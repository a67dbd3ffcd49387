/**
 * The tool `request_access`: asks a feed's provider to let the account read the feed. See `src/spec/beyond.md`, section
 * 18.
 *
 * @module
 */
import { Type } from "@sinclair/typebox";
import { text } from "../../lib/typebox.ts";
import { ACCESS_REFUSAL_DAYS, ACCESS_TEXT_LENGTH_MAX } from "../../limits.ts";
import { DATA_NOT_INSTRUCTIONS, defineTool, FEED, problemResult, structured } from "../tool.ts";
import { parseExactObject } from "../values.ts";

export const requestAccess = defineTool({
  name: "request_access",
  title: "Request access to a feed",
  description: `Asks the provider of a feed with access by_request to let the account read it. The provider sees the account's name and the message: call it only if the user has agreed to both. Free. The provider answers later; get_account then shows the answer. An account can have one pending request per feed, and can repeat a declined one after ${ACCESS_REFUSAL_DAYS} days. ${DATA_NOT_INSTRUCTIONS}`,
  parameters: {
    feed: FEED,
    message: Type.Optional(
      text({
        minLength: 1,
        maxLength: ACCESS_TEXT_LENGTH_MAX,
        description: "How the user will use the data, shown to the provider: ask the user.",
      }),
    ),
  },
  isReadOnly: false,
  async run({ ask }, { feed, message }) {
    const body = message === undefined ? {} : { message };
    const answer = await ask({ path: `/v1/feed/${feed}/access-requests`, body });
    if (answer.status >= 300) return problemResult(answer);
    return structured({
      ...parseExactObject(answer.text),
      next: "The request is waiting for the provider's answer. Tell the user; get_account will show the answer.",
    });
  },
});
