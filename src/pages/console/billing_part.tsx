/** @jsxImportSource preact */
/**
 * The part of `/billing` that only a signed-in consumer sees: the account's balance, and how to buy the feed from it.
 * See `src/spec/beyond.md`, section 5.
 *
 * @module
 */
import type { Call } from "../../http/call.ts";
import type { Row } from "../../postgres/client/database.ts";
import type { Services } from "../../services.ts";
import { counted, dollars, FigureCard, Text } from "../layout/parts.tsx";
import { admitBy } from "./admit.ts";
import { hasBought, readAccount } from "./consumer/own_records.ts";
import { sessionOf } from "./sessions.ts";

type BilledFeed = Pick<Row<"find_feed_row">, "feed_id" | "price_type">;

/** What the page's address names. */
interface Billed<Feed> {
  readonly accountId: string | undefined;
  /** The feed, if the account finds it. */
  findFeed(readerId: string): Promise<Feed | undefined>;
}

/** Finds who asks for the page; undefined if no consumer is signed in. */
export function billingPart(services: Services) {
  const takesCards = services.config.topups?.stripe !== undefined;
  return async <Feed extends BilledFeed>(
    { request }: Call,
    { accountId, findFeed }: Billed<Feed>,
  ) => {
    const session = await sessionOf(services, request);
    if (session?.role !== "read" || session.account === undefined) return undefined;
    const visitor = { services, admit: admitBy(services, session) };
    const { account } = session;
    const feed = await findFeed(account.id);
    const isSold = feed?.price_type === "one_time";
    const [{ balance }, isBought] = await Promise.all([
      readAccount(visitor),
      isSold && hasBought(visitor, feed.feed_id),
    ]);
    return {
      feed,
      who: <Text of={account.name} />,
      own: (
        <>
          {accountId !== undefined && accountId !== account.id && (
            <p>
              This link is for a different account. What you see and buy here is for{" "}
              <Text of={account.name} />.
            </p>
          )}
          <div class="cards">
            <FigureCard
              label="Your balance"
              value={`${dollars(balance.usd)} USD`}
              note={counted(balance.credits, "credit")}
            />
          </div>
          {takesCards && (
            <p>
              <a class="button" href="./console#top-up">
                Top up by card
              </a>
            </p>
          )}
          {isBought && <p>You have bought this feed, so its reads are free.</p>}
          {isSold && !isBought && (
            <p>
              <a class="button" href={`./console/catalog/${feed.feed_id}`}>
                Buy it with your balance
              </a>
            </p>
          )}
        </>
      ),
    };
  };
}
