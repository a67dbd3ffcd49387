/** @jsxImportSource preact */
/**
 * What `/billing` shows a signed-in consumer besides: what the account has, and the way to buy the feed from it. Beyond 5.
 *
 * @module
 */
import type { Handle } from "../../api/own_routes.ts";
import type { Call } from "../../http/call.ts";
import type { Row } from "../../postgres/client/database.ts";
import type { Services } from "../../services.ts";
import { digits, FigureCard, Text } from "../layout/parts.tsx";
import { hasBought } from "./consumer/answers.ts";
import { askApi, askText, bodyOf } from "./own_api.ts";
import { type SessionServices, sessionOf } from "./sessions.ts";

/** What the page's address names. */
interface Billed {
  readonly feed: Pick<Row<"find_feed_row">, "feed_id" | "price_type"> | undefined;
  readonly accountId: string | undefined;
}

interface Account {
  readonly balance: { readonly credits: number; readonly usd: number };
}

/** Finds who asks for the page; undefined if no consumer is signed in. */
export function billingPart(services: SessionServices & Pick<Services, "config">, handle: Handle) {
  const takesCards = services.config.topups?.stripe !== undefined;
  return async ({ request, requestId }: Call, { feed, accountId }: Billed) => {
    const session = await sessionOf(services, request);
    if (session?.role !== "read" || session.account === undefined) return undefined;
    const ask = askApi(askText({ handle, key: session.key, requestId }));
    const { account } = session;
    const isSold = feed?.price_type === "one_time";
    const [shown, isBought] = await Promise.all([
      ask<Account>("/v1/account"),
      isSold && hasBought(ask, feed.feed_id),
    ]);
    const { balance } = bodyOf(shown);
    return {
      who: <Text of={account.name} />,
      own: (
        <>
          {accountId !== undefined && accountId !== account.id && (
            <p>
              The link is for another account than yours. What you see and buy here is for{" "}
              <Text of={account.name} />.
            </p>
          )}
          <div class="cards">
            <FigureCard
              label="Your balance"
              value={digits(balance.credits)}
              note={`credits = ${digits(balance.usd)} USD`}
            />
          </div>
          {takesCards && (
            <p>
              <a class="button" href="./console#top-up">
                Get credits by card
              </a>
            </p>
          )}
          {isBought && <p>You have bought this feed: its reads cost nothing.</p>}
          {isSold && !isBought && (
            <p>
              <a class="button" href={`./console/catalog/${feed.feed_id}`}>
                Buy it from the balance
              </a>
            </p>
          )}
        </>
      ),
    };
  };
}
