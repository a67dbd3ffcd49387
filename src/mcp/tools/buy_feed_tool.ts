/**
 * The tool `buy_feed`: buys a feed with a one-time price from the account's balance. See `src/spec/beyond.md`, section
 * 13.
 *
 * @module
 */
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import type { FeedMetadataShape } from "../../feeds/feed_shapes.ts";
import { Expected } from "../../lib/typebox.ts";
import { creditsText, usdOfCents } from "../../money/money.ts";
import { NANOS_PER_CENT } from "../../money/money_units.ts";
import { defineTool, FEED, problemResult, structured } from "../tool.ts";
import { parseExactObject } from "../values.ts";

type Metadata = Static<typeof FeedMetadataShape>;

export const buyFeed = defineTool({
  name: "buy_feed",
  title: "Buy a feed",
  description:
    "Buys a feed with a one-time price from the account's balance, after which all its reads are free. Spends credits: call it only if the user has agreed to the price shown by describe_feed. A feed is bought only once, so repeating the call costs nothing.",
  parameters: {
    feed: FEED,
    max_credits: Type.Number({
      minimum: 0,
      [Expected]: "a number of at least 0 with at most 3 decimals",
      description:
        "The maximum price in credits, with at most 3 decimals; 10,000 credits are 1 cent. A more expensive feed is not bought.",
    }),
  },
  isReadOnly: false,
  async run({ ask }, { feed, max_credits }) {
    const answer = await ask({ path: `/v1/feed/${feed}/purchase`, body: { max_credits } });
    if (answer.status >= 300) return problemResult(answer);
    const { _origin: receipt, ...purchase } = parseExactObject(answer.text);
    return structured({ ...purchase, receipt });
  },
  async help({ ask }, { feed, max_credits }) {
    if (max_credits !== undefined || !Value.Check(FEED, feed)) return undefined;
    const answer = await ask({ path: `/v1/feed/${feed}/metadata` });
    if (answer.status !== 200) return undefined;
    const { one_time_price_cents: cents }: Metadata = JSON.parse(answer.text);
    if (cents === null) return "The feed has no one-time price, so it can't be bought.";
    const credits = creditsText(BigInt(cents) * NANOS_PER_CENT);
    return `The feed costs ${credits} credits ($${usdOfCents(BigInt(cents))}): ask the user, and if they agree, send max_credits ${credits}.`;
  },
});
