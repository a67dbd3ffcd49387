/** @jsxImportSource preact */
/**
 * What `/billing` shows a signed-in consumer besides: what the account has, and the way to buy the feed from it. Beyond 5.
 *
 * @module
 */
import type { Priced } from "../accounts/money.ts";
import type { Handle } from "../api/own_routes.ts";
import type { Call } from "../http/call.ts";
import type { Services } from "../services.ts";
import { digits, FigureCard, Text } from "../ui/parts.tsx";
import { askApi, askText, bodyOf } from "./own_api.ts";
import { type SessionServices, sessionOf } from "./sessions.ts";

interface Offered extends Priced {
  readonly feed_id: string;
}

interface Account {
  readonly balance: { readonly credits: number; readonly usd: number };
}

/** Finds who asks for the page; undefined if no consumer is signed in. */
export function billingPart(services: SessionServices & Pick<Services, "config">, handle: Handle) {
  const takesCards = services.config.topups?.stripe !== undefined;
  return async ({ request, requestId }: Call, feed: Offered | undefined) => {
    const session = await sessionOf(services, request);
    if (session?.role !== "read" || session.account === undefined) return undefined;
    const ask = askApi(askText({ handle, key: session.key, requestId }));
    const { balance } = bodyOf(await ask<Account>("/v1/account"));
    return {
      who: <Text of={session.account.name} />,
      own: (
        <>
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
          {feed?.price_type === "one_time" && (
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
