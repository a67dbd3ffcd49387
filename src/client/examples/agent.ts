/**
 * An agent that finds feeds, buys and reads them within a budget, and prints the first rows of each.
 *
 * ```sh
 * FEEDGATE_URL=https://feeds.example.com FEEDGATE_KEY=fg_read_… node agent.ts "gold prices" 0.50
 * ```
 *
 * @module
 */
import { Feedgate, ProblemError } from "feedgate/client";

const CREDITS_PER_USD = 1_000_000;
const CREDITS_PER_CENT = 10_000;

const { FEEDGATE_URL: url = "http://127.0.0.1:3000", FEEDGATE_KEY: key } = process.env;
const [words = "gold prices", usd = "1"] = process.argv.slice(2);
const feedgate = new Feedgate({ url, key });
/** Credits that may still be spent. A read may cost a part of one. */
let left = Number(usd) * CREDITS_PER_USD;

const { results } = await feedgate.search(words, { limit: 5 });
for (const { id, name } of results) {
  // Free, like the search: what the feed contains, and what it costs.
  const feed = await feedgate.describe(id);
  const priceCredits = (feed.one_time_price_cents ?? 0) * CREDITS_PER_CENT;
  if (priceCredits > left) {
    console.log(`${name}: costs ${priceCredits} credits, ${Math.floor(left)} are left`);
    continue;
  }
  try {
    if (feed.price_type === "one_time") {
      // A feed that was bought before costs nothing. A price that was raised meanwhile is refused.
      const { _origin } = await feedgate.buy(id, { maxCredits: Math.floor(left) });
      left -= _origin.credits_charged;
    }
    const { rows, origin } = await feedgate.read(id, { limit: 3, maxCredits: Math.floor(left) });
    left -= origin.credits_charged;
    console.log(`${name}: ${JSON.stringify(rows)}`);
  } catch (error) {
    // Such as a balance that is too low, or a feed that needs access. The message says what to do.
    if (!(error instanceof ProblemError)) throw error;
    console.log(`${name}: ${error.code}: ${error.message}`);
  }
}
console.log(`${Math.floor(left)} credits of the budget are left`);
