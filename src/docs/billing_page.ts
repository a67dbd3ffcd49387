/**
 * `/billing`, where a 402 points if the operator names no page of their own: what is to be paid, and how. Beyond 5
 * and 11.
 *
 * The ids in its address are a stranger's. An id that is none is left out. The page shows of a feed only what the
 * catalog shows, and nothing of an account, because the person who pays has no key at hand.
 *
 * @module
 */
import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { pricingText } from "../accounts/money.ts";
import { anonymous } from "../api/anonymous_limit.ts";
import { parameters } from "../api/parameters.ts";
import { billingUrlOf } from "../api/refusals.ts";
import { respond } from "../http/respond.ts";
import { answerShared, compressedContent } from "../http/shared_content.ts";
import { withoutInvisible } from "../lib/invisible_text.ts";
import { parseUuid } from "../lib/uuid.ts";
import type { Row } from "../postgres/client/query.ts";
import type { Services } from "../services.ts";
import { PAGE_HEADERS, renderFrame } from "./html_pages.ts";

const QUERY = parameters({
  account_id: Type.Optional(Type.String()),
  feed_id: Type.Optional(Type.String()),
});
/** Its address names an account. */
const HEADERS = { ...PAGE_HEADERS, "Cache-Control": "private, no-cache" };

/** What the page shows of a listed feed. */
type BilledFeed = Pick<
  Row<"find_feed_row">,
  "name" | "endpoint_path" | "price_type" | "call_price_nanos" | "one_time_price_cents"
>;

interface Bill {
  /** A UUID; undefined if the address has none. */
  readonly accountId: string | undefined;
  /** Undefined if the address names none, or none that is listed. */
  readonly feed: BilledFeed | undefined;
  /** The operator's words, if there are any. */
  readonly words: string | undefined;
  /** The operator's own page, if there is one. */
  readonly payUrl: string | undefined;
}

export function billingRoutes({ anonymousLimit, config, database }: Services) {
  return new Elysia({ name: "billing" }).use(anonymous(anonymousLimit)).get(
    "/billing",
    async ({ call, query }) => {
      const accountId = parseUuid(query.account_id ?? "");
      const feedId = parseUuid(query.feed_id ?? "");
      const found = await database.row("find_feed_row", {
        feed_id: feedId ?? null,
        endpoint_path: null,
        active_only: true,
      });
      const feed = found?.is_public === true ? found : undefined;
      const { billingText: words, billingUrl } = config;
      const payUrl = billingUrl && billingUrlOf(billingUrl, { accountId, feedId });
      const page = renderBill({ accountId, feed, words, payUrl });
      return respond(answerShared(call.request, await compressedContent(page), HEADERS));
    },
    { detail: { hide: true }, query: QUERY },
  );
}

function renderBill({ accountId, feed, words, payUrl }: Bill): string {
  const named = [
    feed && "the feed",
    accountId === undefined
      ? "your account, whose id <code>GET /v1/account</code> shows,"
      : "the account",
  ].filter(Boolean);
  const facts = [
    feed && fact("Feed", `${escaped(feed.name)} <code>${escaped(feed.endpoint_path ?? "")}</code>`),
    feed && fact("Price", escaped(pricingText(feed))),
    accountId && fact("Account", `<code>${accountId}</code>`),
  ].filter(Boolean);
  const how =
    payUrl !== undefined
      ? `<p><a href="${escaped(payUrl)}">Pay here</a>.</p>`
      : (words
          ?.trim()
          .split(/\n\s*\n/)
          .map(paragraph)
          .join("\n") ??
        "<p>This gateway takes no payment by itself. Write to its operator, who takes it.</p>");
  return renderFrame({
    title: "Pay · Feedgate",
    root: ".",
    main: `<main class="frame guide">
<h1>Pay</h1>
${facts.length > 0 ? `<dl>\n${facts.join("\n")}\n</dl>\n` : ""}${how}
<p>Name ${named.join(" and ")} when you pay. ${outcomeOf(feed)} Nothing has to be changed at the agent: its key stays the same.</p>
<p>1 credit is 0.000001 USD. An agent sees its balance at <code>GET /v1/account</code>, and what each call has cost at <code>GET /v1/usage</code>.</p>
</main>`,
  });
}

/** What happens behind a payment. */
function outcomeOf(feed: BilledFeed | undefined): string {
  switch (feed?.price_type) {
    case "one_time":
      return "As soon as the operator has added the price as credits, the agent can buy the feed with <code>POST /v1/feed/{id}/purchase</code> (<code>buy_feed</code> over MCP). Or the operator has recorded the purchase, and the feed can be read at once. No read of it costs anything then.";
    case "metered":
      return "As soon as the operator has added credits, the feed can be read, and each read takes its price from them.";
    default:
      return "As soon as the operator has added credits, metered feeds can be read, and feeds with a one-time price can be bought. A feed whose purchase the operator has recorded can be read at once.";
  }
}

function fact(name: string, html: string): string {
  return `<dt>${name}</dt><dd>${html}</dd>`;
}

function paragraph(text: string): string {
  return `<p class="words">${escaped(text.trim())}</p>`;
}

/** A provider's or operator's text, without what a person would not see of it. */
function escaped(text: string): string {
  return Bun.escapeHTML(withoutInvisible(text));
}
