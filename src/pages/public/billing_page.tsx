/** @jsxImportSource preact */
/**
 * `/billing`, to which a 402 points if the operator has set no other page: the price, and how to pay. See
 * `src/spec/beyond.md`, sections 5 and 11.
 *
 * The ids in its address are untrusted, and invalid ids are ignored. The page shows only what the catalog shows of a
 * feed, and nothing of an account, because the person who pays may not have a key at hand. A signed-in consumer sees
 * everything that their account can find, including an unlisted feed. `signedIn` renders the rest of what they see.
 *
 * @module
 */
import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { ComponentChildren } from "preact";
import { keyless } from "../../api/callers/without_key.ts";
import { parameters } from "../../api/input/parameters.ts";
import { billingUrlOf } from "../../api/problems/call_refusals.ts";
import { CACHE_PRIVATE } from "../../http/answer.ts";
import type { Call } from "../../http/call.ts";
import { respond } from "../../http/respond.ts";
import { answerShared, compressedContent } from "../../http/shared_content.ts";
import { parseUuid } from "../../lib/uuid.ts";
import type { Row } from "../../postgres/client/database.ts";
import type { Services } from "../../services.ts";
import { type PageFrame, PUBLIC_MENU, renderPage } from "../layout/page.tsx";
import { PUBLIC_PAGE_HEADERS } from "../layout/page_headers.ts";
import { Facts, Text } from "../layout/parts.tsx";
import { priceText } from "../layout/price_text.ts";

const QUERY = parameters({
  account_id: Type.Optional(Type.String()),
  feed_id: Type.Optional(Type.String()),
});
/** Where Stripe sends a person who has paid. */
const PAID_PATH = "/billing/paid";
/** Its address names an account. */
const HEADERS = { ...PUBLIC_PAGE_HEADERS, "Cache-Control": CACHE_PRIVATE };

/** What the page shows of a feed. */
export type BilledFeed = Pick<
  Row<"find_feed_row">,
  | "feed_id"
  | "name"
  | "endpoint_path"
  | "is_public"
  | "access"
  | "price_type"
  | "call_price_nanos"
  | "one_time_price_cents"
>;

/** What the address names. */
interface Billed {
  /** Undefined if it names none that is active. */
  readonly feed: BilledFeed | undefined;
  /** A UUID; undefined if the address has none. */
  readonly accountId: string | undefined;
}

/** What the address names, for whoever asks. */
interface Asked {
  readonly accountId: string | undefined;
  /** The feed, if the account finds it and it is active. Null finds no invited feed. */
  findFeed(readerId: string | null): Promise<BilledFeed | undefined>;
}

/** What a signed-in visitor sees besides. */
export interface SignedIn {
  /** Undefined if the address names none that the visitor's account finds. */
  readonly feed: BilledFeed | undefined;
  /** At the right of the header. */
  readonly who: ComponentChildren;
  /** Above the ways to pay: balance, and what can be done with it. */
  readonly own: ComponentChildren;
}

/** Finds out who asks; undefined if nobody is signed in. */
export type FindSignedIn = (call: Call, asked: Asked) => Promise<SignedIn | undefined>;

interface Bill extends Billed {
  readonly frame: PageFrame;
  /** The operator's words, if there are any. */
  readonly words: string | undefined;
  /** The operator's own page, if there is one. */
  readonly payUrl: string | undefined;
  readonly signedIn: SignedIn | undefined;
  /** How accounts pay for credits by themselves. */
  readonly payingWays: { readonly takesCards: boolean; readonly takesX402: boolean };
  readonly hasConsole: boolean;
}

interface BillingOptions {
  readonly frame?: PageFrame;
  /** @default nobody is signed in */
  readonly findSignedIn?: FindSignedIn;
}

export function billingRoutes(services: Services, options: BillingOptions = {}) {
  const { config, database, operatorsListener, pageLimit, payingWays } = services;
  const { frame = {}, findSignedIn } = options;
  const paid = compressedContent(renderPaid(frame));
  const hidden = { detail: { hide: true }, query: QUERY };
  const routes = new Elysia({ name: "billing" }).use(keyless());
  if (services.canTopUp) {
    routes.get(
      PAID_PATH,
      async ({ call }) => respond(answerShared(call.request, await paid, PUBLIC_PAGE_HEADERS)),
      hidden,
    );
  }
  return routes.get(
    "/billing",
    async ({ call, query, server }) => {
      pageLimit(operatorsListener.addressOf(call.request, server));
      const accountId = parseUuid(query.account_id ?? "");
      const feedId = parseUuid(query.feed_id ?? "");
      const findFeed = (readerId: string | null) =>
        database.row("find_feed_row", {
          feed_id: feedId ?? null,
          endpoint_path: null,
          active_only: true,
          reader_id: readerId,
        });
      const { billingText: words, billingUrl } = config;
      const payUrl = billingUrl && billingUrlOf(billingUrl, { accountId, feedId });
      const signedIn = await findSignedIn?.(call, { accountId, findFeed });
      const feed = signedIn === undefined ? listed(await findFeed(null)) : signedIn.feed;
      const page = renderBill({
        ...{ frame, accountId, feed, words, payUrl, signedIn, payingWays },
        hasConsole: findSignedIn !== undefined,
      });
      return respond(answerShared(call.request, await compressedContent(page), HEADERS));
    },
    hidden,
  );
}

function listed(feed: BilledFeed | undefined): BilledFeed | undefined {
  return feed?.is_public === true ? feed : undefined;
}

/** The page to which a payer returns. It does not know who paid or how much. */
function renderPaid(frame: PageFrame): string {
  return renderPage({
    ...frame,
    title: "Paid",
    isListed: false,
    root: "..",
    menu: PUBLIC_MENU,
    children: (
      <div class="text">
        <h1>Thank you</h1>
        <p class="lead">
          The credits are added to the balance as soon as the payment is confirmed: immediately for
          cards, within days for some other payment methods.
        </p>
        <p>
          You can close this page. The agent needs no changes; it sees its balance at{" "}
          <code>GET /v1/account</code>.
        </p>
      </div>
    ),
  });
}

function renderBill({
  frame,
  accountId,
  feed,
  words,
  payUrl,
  signedIn,
  payingWays: { takesCards, takesX402 },
  hasConsole,
}: Bill): string {
  const canTopUp = takesCards || takesX402;
  const isOperatorPaid = payUrl !== undefined || words !== undefined || !canTopUp;
  return renderPage({
    ...frame,
    title: "Pay",
    isListed: false,
    root: ".",
    menu: PUBLIC_MENU,
    ...(signedIn && { who: signedIn.who }),
    children: (
      <div class="text">
        <h1>Pay</h1>
        <p class="lead">How to add credits to an account, and what they pay for.</p>
        <Facts
          of={{
            Feed: feed && (
              <>
                <a
                  href={
                    feed.is_public && feed.access !== "invited"
                      ? `./feeds/${feed.endpoint_path}`
                      : `./console/catalog/${feed.feed_id}`
                  }
                >
                  <Text of={feed.name} />
                </a>{" "}
                <code>{feed.endpoint_path}</code>
              </>
            ),
            Price: feed && priceText(feed),
            Account: accountId && <code>{accountId}</code>,
          }}
        />
        {signedIn?.own}
        <h2>How to pay</h2>
        {canTopUp && (
          <p>
            An agent can start a top-up itself: <code>POST /v1/topups</code> (<code>top_up</code>{" "}
            over MCP).
            {takesCards &&
              " For a card payment, it gets a link for you, and the credits are added once you have paid."}
            {takesX402 && " With x402, it pays from its own wallet."}
          </p>
        )}
        {takesCards && hasConsole && signedIn === undefined && (
          <p>
            To pay by card yourself, <a href="./console">sign in to the console</a> with a read key
            of the account.
          </p>
        )}
        {payUrl !== undefined ? (
          <p>
            <a class="button" href={payUrl}>
              Pay here
            </a>
          </p>
        ) : (
          isOperatorPaid && <OperatorWords words={words} />
        )}
        <p>
          {isOperatorPaid && (
            <>
              When you pay, name {feed && "the feed and "}
              {accountId === undefined ? (
                <>
                  your account ID, which <code>GET /v1/account</code> returns
                </>
              ) : (
                "the account"
              )}
              .{" "}
            </>
          )}
          <Outcome priceType={feed?.price_type} /> The agent needs no changes; its key stays the
          same.
        </p>
        <p class="soft">
          1 credit is 0.000001 USD. An agent sees its balance at <code>GET /v1/account</code>, and
          what each call cost at <code>GET /v1/usage</code>.
        </p>
      </div>
    ),
  });
}

function OperatorWords({ words }: Pick<Bill, "words">) {
  const paragraphs = words?.trim().split(/\n\s*\n/);
  if (paragraphs === undefined) {
    return <p>This gateway does not process payments itself. Contact its operator to pay.</p>;
  }
  return (
    <div class="card">
      {paragraphs.map((paragraph) => (
        <p class="words">
          <Text of={paragraph.trim()} />
        </p>
      ))}
    </div>
  );
}

/** What happens behind a payment. */
function Outcome({ priceType }: { readonly priceType: string | undefined }) {
  switch (priceType) {
    case "one_time":
      return (
        <>
          Once the balance covers the price, the agent can buy the feed with{" "}
          <code>{"POST /v1/feed/{id}/purchase"}</code> (<code>buy_feed</code> over MCP). If the
          operator has recorded the purchase, the feed can be read immediately. After the purchase,
          all reads are free.
        </>
      );
    case "metered":
      return (
        <>
          Once the credits are in the balance, the feed can be read, and each read is charged to the
          balance.
        </>
      );
    default:
      return (
        <>
          Once the credits are in the balance, metered feeds can be read, and feeds with a one-time
          price can be bought. A feed whose purchase the operator has recorded can be read
          immediately.
        </>
      );
  }
}
