/**
 * `POST /v1/topups` and `GET /v1/topups/{topup_id}`: accounts pay for credits by themselves.
 *
 * Neither is charged or logged. If no payment method is configured, both return 404 `TOPUPS_OFF`. See
 * `src/spec/beyond.md`, section 15.
 *
 * @module
 */
import { Type } from "@sinclair/typebox";
import { TypeCompiler } from "@sinclair/typebox/compiler";
import { Elysia } from "elysia";
import { authenticated, authenticatedIfKeyed } from "../api/callers/auth.ts";
import type { Principal } from "../api/callers/callers.ts";
import type { Arrival } from "../api/callers/operators_listener.ts";
import { admitHousekeeping } from "../api/callers/unlogged_calls.ts";
import { receiveJsonObject } from "../api/input/json_body.ts";
import { NO_PARAMETERS } from "../api/input/parameters.ts";
import { billingUrlOf } from "../api/problems/call_refusals.ts";
import { problemOfSave } from "../api/problems/feed_problems.ts";
import { respondOutcome } from "../api/problems/problems.ts";
import { checkHeaders } from "../api/problems/validation.ts";
import { BODY_PROBLEMS, COUNTED, described, documented } from "../api/reference/described.ts";
import { KEYLESS_TOPUP, PAID_TOPUP, TOPUP } from "../api/reference/examples.ts";
import { privateJson } from "../http/answer.ts";
import type { HoldBytes } from "../http/load/body_budget.ts";
import { Problem } from "../http/problem_details.ts";
import { respond } from "../http/respond.ts";
import { parseUuid } from "../lib/uuid.ts";
import { TOPUP_BODY_BYTES_MAX, X402_CALL_SECONDS_MAX } from "../limits.ts";
import { idempotencyKeyHeader } from "../read/pipeline/claim_headers.ts";
import type { Services } from "../services.ts";
import { networkOfCaller } from "./order_limits.ts";
import { payByLink } from "./pay_by_link.ts";
import { findTopup } from "./store_topup.ts";
import { readTopupBody } from "./topup_body.ts";
import { PaidTopupShape, TopupOrderShape, TopupShape, topupText } from "./topup_shapes.ts";
import type { WayName, Ways } from "./way.ts";

const BEGIN_HEADERS = Type.Object({
  "idempotency-key": idempotencyKeyHeader(
    "For 24 hours, repeats of the same order return the same top-up. With x402, this includes a repeat without a payment or with a different one, unless the first has expired. Without a key, the same payment returns the read key again, so use a random value and keep it secret.",
  ),
  "payment-signature": Type.Optional(
    Type.String({
      description:
        "An x402 version 2 payment: base64 of its JSON, with the accepted requirements as in the 402.",
    }),
  ),
});
const BEGIN_HEADERS_CHECK = TypeCompiler.Compile(BEGIN_HEADERS);
const BEGIN_TOPUP = described({
  access: "consumer",
  window: "housekeeping",
  operationId: "topUp",
  tag: "account",
  summary: "Start a top-up",
  description: [
    "By card, the response contains a payment link for your user. `GET /v1/topups/{topup_id}` returns the status. 1 USD is 1,000,000 credits.",
    "With x402 (version 2), a call without a payment returns 402 with the requirements, in the header `PAYMENT-REQUIRED` and in the body. Repeat it with `PAYMENT-SIGNATURE`: the payment is verified, settled and granted. Without a key, a payment of at least 1 USD creates an account, and the response contains its read key, once; with an `Idempotency-Key`, the same payment returns it again for 24 hours. Repeating a payment is safe: it returns the same top-up.",
    "A payment is granted once. Nothing is charged or logged here.",
  ].join("\n\n"),
  answers: {
    200: documented(PaidTopupShape, {
      description:
        "The top-up that was already created with the same `Idempotency-Key` or payment.",
      headers: ["Cache-Control"],
      headersOptional: ["PAYMENT-RESPONSE"],
      examples: { Repeated: TOPUP },
    }),
    201: documented(PaidTopupShape, {
      description: "By card, the top-up is waiting to be paid. With x402, it is paid and granted.",
      headers: ["Cache-Control"],
      headersOptional: ["PAYMENT-RESPONSE"],
      examples: { "By card": TOPUP, "By x402": PAID_TOPUP, "Without a key": KEYLESS_TOPUP },
    }),
    202: documented(PaidTopupShape, {
      description:
        "An x402 payment that the chain has not confirmed yet. Check its status, or repeat the call with the same payment.",
      headers: ["Cache-Control"],
      headersOptional: ["Location"],
      examples: { "Not confirmed yet": { ...PAID_TOPUP, status: "waiting" } },
    }),
  },
  headers: BEGIN_HEADERS,
  problems: [
    ...BODY_PROBLEMS,
    "TOPUPS_OFF",
    "TOPUP_LIMIT",
    "IDEMPOTENCY_KEY_REUSED",
    "PAYMENT_INVALID",
    "PAYMENT_REQUIRED",
    "PAYMENT_REFUSED",
    "PAYMENT_TAKEN",
    ...COUNTED,
  ],
});
const BEGIN_BODY = documented(TopupOrderShape, {
  description: "The amount and the payment method.",
  examples: { "5 USD": { usd: 5 } },
});

const TOPUP_PARAMS = Type.Object({
  topup_id: Type.String({
    description: "As returned by `POST /v1/topups`.",
    examples: [TOPUP.topup_id],
  }),
});
const GET_TOPUP = described({
  access: "consumer",
  window: "housekeeping",
  operationId: "getTopUp",
  tag: "account",
  summary: "Show a top-up",
  description: "Neither charged nor logged.",
  answers: {
    200: documented(TopupShape, {
      description: "The current top-up.",
      headers: ["Cache-Control"],
      examples: { Waiting: TOPUP },
    }),
  },
  problems: ["TOPUPS_OFF", "TOPUP_NOT_FOUND", ...COUNTED],
});

/** Without a prefix, so it can be mounted at `/v1` and `/api/v1`. */
export function topupRoutes(services: Services, ways: Ways) {
  const { keys, database, config } = services;
  const asking = new Elysia({ name: "top-up" }).use(authenticated(keys, "read")).get(
    "/topups/:topup_id",
    async ({ call, principal, params }) => {
      await admitHousekeeping(services, { call, principal, operation: "topups" });
      if (config.topups === undefined) throw topupsOff(services, principal);
      const topupId = parseUuid(params.topup_id);
      const topup = topupId === undefined ? undefined : await findTopup(database, topupId);
      if (topup?.account_id !== principal.accountId) {
        throw new Problem("TOPUP_NOT_FOUND", {
          detail: ({ topUp }) =>
            `This account has no top-up with this id. Use the id that ${topUp} returned.`,
        });
      }
      return respond({ headers: privateJson(), body: topupText(topup) });
    },
    { params: TOPUP_PARAMS, query: NO_PARAMETERS, ...GET_TOPUP },
  );
  return new Elysia({ name: "topups" }).use(beginning(services, ways)).use(asking);
}

/** If agents can pay by themselves, no key is needed. */
function beginning(services: Services, ways: Ways) {
  const { anonymousLimit, bodies, http, keys, config, operatorsListener, strangersBodies } =
    services;
  const { card, x402 } = ways;
  const countKeyless = ({ request, server }: Arrival) =>
    anonymousLimit(operatorsListener.addressOf(request, server));
  return new Elysia({ name: "begin top-up" })
    .use(authenticatedIfKeyed(keys, x402 && countKeyless))
    .post(
      "/topups",
      async ({ call, principal, request, server }) => {
        checkHeaders(BEGIN_HEADERS_CHECK, call.request);
        if (principal !== undefined) {
          await admitHousekeeping(services, { call, principal, operation: "topups" });
        }
        const { topups } = config;
        if (topups === undefined) throw topupsOff(services, principal);
        const receive = (hold: HoldBytes) =>
          receiveJsonObject(call.request, {
            bytesMax: TOPUP_BODY_BYTES_MAX,
            tooLarge: topupTooLarge,
            hold,
          });
        const asked = await (principal === undefined
          ? strangersBodies.whileHeld(request, server, receive)
          : bodies.whileHeld(principal.accountId, receive));
        const order = readTopupBody(asked, topups.usdMax);
        if (order.kind === "invalid") throw problemOfSave(order);
        const { amountNanos } = order;
        const isCardUsual = card !== undefined && principal !== undefined;
        const { way = isCardUsual && !request.headers.has("payment-signature") ? "card" : "x402" } =
          order;
        if (way === "x402") {
          if (x402 === undefined) throw topupsOff(services, principal, way);
          server?.timeout(request, X402_CALL_SECONDS_MAX);
          const address = operatorsListener.addressOf(request, server);
          const paid = await x402.pay({ call, principal, address, amountNanos });
          return respondOutcome(http, call, paid);
        }
        if (card === undefined) throw topupsOff(services, principal, way);
        if (principal === undefined) throw keyNeeded();
        const network = networkOfCaller(operatorsListener.addressOf(request, server));
        const { topup, isNew } = await payByLink(services, card, {
          accountId: principal.accountId,
          keyId: principal.keyId,
          amountNanos,
          network,
          idempotencyKey: request.headers.get("idempotency-key") ?? undefined,
        });
        const body = topupText(topup);
        return respond({ status: isNew ? 201 : 200, headers: privateJson(), body });
      },
      { parse: "none", query: NO_PARAMETERS, body: BEGIN_BODY, ...BEGIN_TOPUP },
    );
}

/** 401 */
function keyNeeded(): Problem {
  return new Problem("KEY_REQUIRED", {
    detail: "Card top-ups require a read key. Send it as x-api-key.",
  });
}

/** 404 */
function topupsOff(
  { billingUrl }: Services,
  principal: Principal | undefined,
  way?: WayName,
): Problem {
  const accountId = principal?.accountId;
  const url =
    accountId === undefined
      ? billingUrl()
      : billingUrlOf(billingUrl(), { accountId, feedId: undefined });
  const what = way === undefined ? "no payments" : `no ${way} payments`;
  return new Problem("TOPUPS_OFF", {
    detail: `This gateway accepts ${what}. See ${url} for how to add credits.`,
    extras: { billing_url: url },
  });
}

/** 413 */
function topupTooLarge(): Problem {
  return new Problem("PAYLOAD_TOO_LARGE", {
    detail: `The body of a top-up is limited to ${TOPUP_BODY_BYTES_MAX} bytes. Send only usd and way.`,
    extras: { limit: "request_body", max_bytes: TOPUP_BODY_BYTES_MAX },
    headers: { Connection: "close" },
  });
}
