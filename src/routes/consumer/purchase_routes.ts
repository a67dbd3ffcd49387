/**
 * `POST /v1/feed/{id}/purchase`: agents buy one-time feeds from their account's balance.
 *
 * See `src/spec/beyond.md`, section 13.
 *
 * @module
 */
import { Type } from "@sinclair/typebox";
import { TypeCompiler } from "@sinclair/typebox/compiler";
import { Elysia } from "elysia";
import { authenticated } from "../../api/callers/auth.ts";
import { admitHousekeeping } from "../../api/callers/unlogged_calls.ts";
import { receiveJsonObject } from "../../api/input/json_body.ts";
import { NO_PARAMETERS } from "../../api/input/parameters.ts";
import { problemOfSave } from "../../api/problems/feed_problems.ts";
import { respondOutcome } from "../../api/problems/problems.ts";
import { checkHeaders } from "../../api/problems/validation.ts";
import {
  BODY_PROBLEMS,
  COUNTED,
  described,
  documented,
  FEED_PARAMS,
} from "../../api/reference/described.ts";
import { BOUGHT, BOUGHT_BEFORE } from "../../api/reference/examples.ts";
import type { BuyFeed } from "../../consumer/buy_feed.ts";
import { readPurchaseBody } from "../../consumer/purchase_body.ts";
import { BoughtShape, BuyShape } from "../../consumer/purchase_shapes.ts";
import { Problem } from "../../http/problem_details.ts";
import { PURCHASE_BODY_BYTES_MAX } from "../../limits.ts";
import { idempotencyKeyHeader } from "../../read/pipeline/claim_headers.ts";
import type { Services } from "../../services.ts";

const BUY_HEADERS = Type.Object({
  "idempotency-key": idempotencyKeyHeader(
    "For 24 hours, repeats of the same purchase return it. Even if it was undone, a repeat does not buy the feed again; it returns 409.",
  ),
});
const BUY_HEADERS_CHECK = TypeCompiler.Compile(BUY_HEADERS);
const BUY_FEED = described({
  access: "consumer",
  window: "housekeeping",
  operationId: "buyFeed",
  tag: "account",
  summary: "Buy a one-time feed from your balance",
  description: [
    "After that, all reads of the feed are free. 10,000 credits are 1 cent.",
    "A feed is bought only once: repeated or concurrent calls return the same purchase and are not charged. It is therefore safe to repeat a call whose response was lost.",
  ].join("\n\n"),
  answers: {
    200: documented(BoughtShape, {
      description:
        "The account had already bought the feed, from its balance or outside the gateway.",
      headers: ["Cache-Control"],
      examples: { "Bought before": BOUGHT_BEFORE },
    }),
    201: documented(BoughtShape, {
      description: "Bought and charged.",
      headers: ["Cache-Control"],
      examples: { "Bought now": BOUGHT },
    }),
  },
  headers: BUY_HEADERS,
  problems: [
    ...BODY_PROBLEMS,
    "INSUFFICIENT_CREDITS",
    "PRICE_ABOVE_MAX",
    "KEY_BUDGET_SPENT",
    "KEY_SCOPE",
    "ACCESS_REQUIRED",
    "FEED_NOT_FOUND",
    "FEED_NOT_SYNCED",
    "FEED_NOT_FOR_SALE",
    "IDEMPOTENCY_KEY_REUSED",
    "IDEMPOTENCY_KEY_STALE",
    ...COUNTED,
  ],
});
const BUY_BODY = documented(BuyShape, {
  description: "What the purchase may cost.",
  examples: { "At most 5 USD": { max_credits: 5_000_000 } },
});

/** Without a prefix: mounted at `/v1` and `/api/v1`. */
export function purchaseRoutes(services: Services, buyFeed: BuyFeed) {
  const { bodies, feeds, http, keys } = services;
  return new Elysia({ name: "purchase" })
    .use(authenticated(keys, "read", (id) => feeds.foresee(id)))
    .post(
      "/feed/:id/purchase",
      async ({ call, principal, params }) => {
        checkHeaders(BUY_HEADERS_CHECK, call.request);
        await admitHousekeeping(services, { call, principal, operation: "buy" });
        const body = await bodies.whileHeld(principal.accountId, (hold) =>
          receiveJsonObject(call.request, {
            bytesMax: PURCHASE_BODY_BYTES_MAX,
            tooLarge: purchaseTooLarge,
            hold,
          }),
        );
        const read = readPurchaseBody(body);
        if (read.kind === "invalid") throw problemOfSave(read);
        const order = { reference: params.id, priceNanosMax: read.priceNanosMax };
        return respondOutcome(http, call, await buyFeed({ call, principal }, order));
      },
      { parse: "none", params: FEED_PARAMS, query: NO_PARAMETERS, body: BUY_BODY, ...BUY_FEED },
    );
}

/** 413 */
function purchaseTooLarge(): Problem {
  return new Problem("PAYLOAD_TOO_LARGE", {
    detail: `The body of a purchase is limited to ${PURCHASE_BODY_BYTES_MAX} bytes. Send only max_credits.`,
    extras: { limit: "request_body", max_bytes: PURCHASE_BODY_BYTES_MAX },
    headers: { Connection: "close" },
  });
}
