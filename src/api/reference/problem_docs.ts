/**
 * The meaning of each error, and what a client should do about it. The errors section of the docs page and the examples
 * of the OpenAPI document are built from this.
 *
 * @module
 */

import { PROBLEMS, type ProblemCode } from "../../http/problem_details.ts";
import { keysOf } from "../../lib/records.ts";
import { ACCOUNT_ID, FEED_ID, USAGE_ID } from "./examples.ts";

/** Every code, in the table's order. */
export const PROBLEM_CODES = keysOf(PROBLEMS);

/** Sentences with code in backticks. */
interface ProblemDoc {
  readonly when: string;
  readonly remedy: string;
  /** Members in addition to the standard ones, in the example. */
  readonly extras?: Readonly<Record<string, unknown>>;
}

/** The members of every 402. */
const PAYMENT = {
  billing_url: `https://feeds.example.org/billing?account_id=${ACCOUNT_ID}&feed_id=${FEED_ID}`,
  price: { credits: 1, usd: 0.000001 },
  balance: { credits: 250, usd: 0.00025 },
};

const X402_OFFER = {
  x402Version: 2,
  error: "PAYMENT-SIGNATURE header is required",
  resource: {
    url: "https://feeds.example.org/v1/topups",
    description: "Credits for this gateway's feeds.",
    mimeType: "application/json",
  },
  accepts: [
    {
      scheme: "exact",
      network: "eip155:8453",
      amount: "5000000",
      asset: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
      payTo: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
      maxTimeoutSeconds: 120,
      extra: { name: "USD Coin", version: "2", assetTransferMethod: "eip3009", offer: "AW9mZmVy" },
    },
  ],
};

export const PROBLEM_DOCS: Readonly<Record<ProblemCode, ProblemDoc>> = {
  INVALID_REQUEST: {
    when: "A path with dot segments or backslashes that still resolves to a route, or more than one `Host`.",
    remedy: "Send the path exactly as documented, and one `Host` header.",
  },
  QUERY_REQUIRED: {
    when: "A search without `q`, or with a blank one.",
    remedy: "Send a query, as in `/v1/search?q=earthquakes`.",
  },
  INVALID_PARAMETER: {
    when: "A query parameter that is unknown, repeated, of the wrong type, out of range, or not applicable to the feed's type; a filter on a field that is not in the feed's locked schema.",
    remedy:
      "`parameter` names the parameter, and `detail` says what it accepts. Change the request before sending it again.",
    extras: { parameter: "limit" },
  },
  OPERATOR_DISABLED: {
    when: "A filter with an operator other than `eq`, or on a nested field.",
    remedy:
      "Filter with `<field>=eq.<value>` on top-level fields, and do any other filtering on the client.",
  },
  JSONPATH_INVALID: {
    when: "`jsonpath` can't be parsed, begins with a name although `data` is an array, selects more than 100,000 nodes or 8 MiB, or visits more than 6,000,000 nodes.",
    remedy: "Write a projection such as `$[*].name`, `$.items[0:5]` or `$[*].{title: name}`.",
  },
  JSONPATH_FILTER_DISABLED: {
    when: "`jsonpath` contains a filter, script or function expression.",
    remedy: "Only projection is supported; filter rows with `<field>=eq.<value>`.",
  },
  CURSOR_INVALID: {
    when: "A cursor that was not issued for this feed and these filters, or was changed.",
    remedy:
      "Pass `next_cursor` unchanged, with the same filters and time bounds, or start again without a cursor.",
  },
  NOT_A_STREAM: {
    when: "A request to follow a feed that is not a stream.",
    remedy: "Read it with `GET /v1/feed/{id}`; `Prefer: wait=N` waits for a change.",
  },
  BODY_NOT_JSON: {
    when: "A body that is empty, not JSON, not UTF-8, or a corrupt gzip stream.",
    remedy: "Send one JSON value in UTF-8.",
  },
  SIGNATURE_INVALID: {
    when: "A message to `/webhooks/stripe` that Stripe has not signed with the configured secret in the last five minutes.",
    remedy: "Set `FEEDGATE_STRIPE_WEBHOOK_SECRET` to the signing secret of the endpoint at Stripe.",
  },
  PAYMENT_INVALID: {
    when: "A `PAYMENT-SIGNATURE` that is not a valid x402 version 2 payment.",
    remedy: "Create it from the `PAYMENT-REQUIRED` of a 402 with an x402 version 2 client.",
  },
  RANGE_INVALID: {
    when: "On operator routes: a range that ends before it begins, or is too long.",
    remedy: "Swap the bounds, or ask for a shorter range.",
  },
  KEY_REQUIRED: {
    when: "No key, or an `Authorization` header that is not a Bearer token.",
    remedy:
      "Send a read key as `x-api-key` or `Authorization: Bearer`; a write key as `Authorization: Bearer`.",
  },
  KEY_INVALID: {
    when: "A key that is unknown, revoked or expired: 403 on consumer routes, 401 on provider routes.",
    remedy: "Check the key for typing errors, or ask the operator for a new one.",
  },
  INSUFFICIENT_CREDITS: {
    when: "A read or a purchase whose price is above the account's balance. Nothing was charged.",
    remedy: "Add credits at `billing_url`; `price` and `balance` say how many are missing.",
    extras: { ...PAYMENT, balance: { credits: 0.25, usd: 0.00000025 } },
  },
  PURCHASE_REQUIRED: {
    when: "A feed with a one-time price that the account has not bought.",
    remedy:
      "Buy it with `POST /v1/feed/{id}/purchase` if `balance` covers `price`; otherwise add credits at `billing_url` first. After that, all reads of it are free.",
    extras: { ...PAYMENT, price: { credits: 5_000_000, usd: 5 } },
  },
  PRICE_ABOVE_MAX: {
    when: "A call that costs more than its `Feedgate-Max-Credits`, or a purchase that costs more than its `max_credits`.",
    remedy: "Raise it if the data is worth its `price` to you.",
    extras: { ...PAYMENT, price: { credits: 1.5, usd: 0.0000015 }, max_credits: 1 },
  },
  PAYMENT_REQUIRED: {
    when: "An x402 top-up without a payment. The header `PAYMENT-REQUIRED` contains the same in base64.",
    remedy: "Sign one of the payments in `accepts`, and repeat the call with `PAYMENT-SIGNATURE`.",
    extras: X402_OFFER,
  },
  PAYMENT_REFUSED: {
    when: "An x402 payment that does not match the offer, or that was not received. As far as is known, nothing was charged.",
    remedy:
      "Sign a new payment for the new offer. If the response contains a `topup_id`, wait until `expires_at` first: if the payment arrives by then, it is granted.",
    extras: { reason: "insufficient_funds", ...X402_OFFER, error: "insufficient_funds" },
  },
  KEY_BUDGET_SPENT: {
    when: "A call that costs more than the rest of its key's daily budget. Nothing was charged.",
    remedy:
      "Wait until `resets_at`, the next UTC midnight, or use a key with a larger budget. A call that costs more than the full daily budget needs the latter.",
    extras: {
      ...PAYMENT,
      budget: { credits: 100, usd: 0.0001 },
      spent: { credits: 99.5, usd: 0.0000995 },
      resets_at: "2026-11-22T00:00:00.000Z",
    },
  },
  ORIGIN_FORBIDDEN: {
    when: "A call to `/mcp` from a page of another site.",
    remedy: "Call it from a program, or ask the operator to allow the page's origin.",
  },
  KEY_PERMISSION: {
    when: "A write key on a consumer route, a read key on a provider route, or an admin key on either; on operator routes, any key but an admin key.",
    remedy: "Send the kind of key that the route requires.",
  },
  KEY_SCOPE: {
    when: "A feed that the key may not read.",
    remedy: "Use a key that may read it.",
  },
  ACCESS_REQUIRED: {
    when: "Data of a feed whose provider decides who can read it, requested by an account without access.",
    remedy:
      "Request access with `POST` to `request_path`, and say how you will use the data. `GET /v1/account/access-requests` shows the provider's answer.",
    extras: { request_path: "/v1/feed/0199c1f0-0000-7000-8000-000000000001/access-requests" },
  },
  ACCOUNT_SUSPENDED: {
    when: "The operator has suspended the key's account; `reason` says why.",
    remedy: "Contact the operator. All keys of the account work again once it is resumed.",
    extras: { reason: "too many leaked keys" },
  },
  FEED_SUSPENDED: {
    when: "A push to or an edit of a feed that the operator has suspended; `reason` says why.",
    remedy: "Contact the operator. No data of the feed was deleted.",
    extras: { reason: "a complaint about its license" },
  },
  FEED_FORBIDDEN: {
    when: "A push or edit of a feed that the key's account does not own. An unknown id gets the same response.",
    remedy: "Check the id against `GET /v1/provider/feeds`.",
  },
  FEED_QUOTA_EXCEEDED: {
    when: "A new feed beyond the account's quota; drafts count.",
    remedy: "Edit one of your feeds, or ask the operator for a larger quota.",
    extras: { max_feeds_allowed: 3 },
  },
  TOPUP_LIMIT: {
    when: "A top-up above the limit for a UTC day, or while 20 top-ups of the account, or 5 of a connected agent, are waiting to be paid.",
    remedy: "Pay a pending one, request a smaller amount, or try again the next UTC day.",
  },
  ADMIN_KEY_BY_COMMAND: {
    when: "An attempt to edit or rotate an admin key through the operator API.",
    remedy: "Run the command `key edit` or `key rotate` on the server.",
  },
  NOTICE_TYPE_FORBIDDEN: {
    when: "A webhook with a notice type that keys with this permission do not receive.",
    remedy: "Use types that your key's permission allows, or a key with a different permission.",
  },
  ROUTE_NOT_FOUND: {
    when: "An address that this gateway does not serve.",
    remedy: "Check the address against this documentation; a trailing slash matters.",
  },
  FEED_NOT_FOUND: {
    when: "A feed that is unknown, a draft or inactive.",
    remedy: "Find one with `GET /v1/catalog` or `GET /v1/search`.",
  },
  FEED_NOT_SYNCED: {
    when: "An active feed that has never received a push.",
    remedy: "Try again later; metadata says how often the feed is updated.",
  },
  ACCOUNT_NOT_FOUND: {
    when: "On operator routes: no account has the id or the exact name.",
    remedy: "Find it with `GET /v1/operator/accounts`.",
  },
  KEY_NOT_FOUND: {
    when: "On operator routes: no key matches the id or prefix. On an account's own routes: the account has no connected agent with this key.",
    remedy: "Find it with `GET /v1/operator/keys`, or your own agent with `GET /v1/account`.",
  },
  WEBHOOK_NOT_FOUND: {
    when: "A webhook that the key can't see.",
    remedy: "Find it with `GET /v1/webhooks`.",
  },
  DELIVERY_NOT_FOUND: {
    when: "A delivery that the key can't see, or that is older than 30 days.",
    remedy: "Find it with `GET /v1/webhooks/{id}/deliveries`.",
  },
  WEBHOOKS_LIMIT: {
    when: "A webhook beyond the account's limit of 20.",
    remedy: "Delete one that you don't need.",
  },
  WEBHOOK_URL_INVALID: {
    when: "A webhook whose URL is not https, is private, or points to this gateway.",
    remedy: "Use a URL that can be reached from the internet, without user name and fragment.",
  },
  PROMOTION_NOT_FOUND: {
    when: "On operator routes: there is no such promotion code.",
    remedy: "Find it with `GET /v1/operator/promotions`.",
  },
  USAGE_NOT_FOUND: {
    when: "On operator routes: there is no such usage event.",
    remedy: "Find it with `GET /v1/operator/usage`.",
  },
  PURCHASE_NOT_FOUND: {
    when: "On operator routes: the account has not bought the feed.",
    remedy: "Find its purchases with `GET /v1/operator/purchases`.",
  },
  TOPUP_NOT_FOUND: {
    when: "A top-up that the account has not created.",
    remedy: "Use the `topup_id` that `POST /v1/topups` returned.",
  },
  PAYOUT_NOT_FOUND: {
    when: "On operator routes: a payout to reverse that was never recorded, or that is itself a reversal.",
    remedy: "Use a `payout_id` from the list of payouts.",
  },
  TOPUPS_OFF: {
    when: "A top-up at a gateway that does not accept payments, or not the requested payment method.",
    remedy: "Ask the operator for credits; the `billing_url` of a 402 says how to pay.",
  },
  METHOD_NOT_ALLOWED: {
    when: "A known route with a method that it does not support.",
    remedy: "Use one of the methods in the `Allow` header.",
  },
  ENDPOINT_PATH_TAKEN: {
    when: "An `endpoint_path` that another feed uses.",
    remedy: "Choose a different one.",
  },
  FEED_NEVER_PUSHED: {
    when: "An edit that sets `status` to `active` before any push has succeeded.",
    remedy: "Push first: the first successful push activates the feed automatically.",
  },
  ACCESS_REQUESTED: {
    when: "An access request while another one of the account is pending, or within 7 days of a refusal.",
    remedy: "Wait for the answer, or until the time in `retry_at`.",
    extras: { retry_at: null },
  },
  ACCESS_NOT_NEEDED: {
    when: "An access request for a feed that is open, your own, or already granted to you.",
    remedy: "Read the feed.",
  },
  ACCESS_ANSWERED: {
    when: "An access request that was already answered.",
    remedy:
      "Change the account's grant instead: `PUT` or `DELETE /v1/provider/feed/{feed_id}/readers/{account_id}`.",
  },
  FEED_NOT_FOR_SALE: {
    when: "A purchase of a feed without a one-time price, or of the account's own feed.",
    remedy:
      "Read it: free feeds and your own feeds cost nothing, and metered feeds charge each read.",
  },
  PAYMENT_TAKEN: {
    when: "An x402 payment that was already used, by another caller or elsewhere on the chain.",
    remedy: "Sign a new payment.",
  },
  FEED_TYPE_LOCKED: {
    when: "A change of `feed_type` after data was stored.",
    remedy: "Leave `feed_type` unchanged, or create another feed.",
  },
  SCHEMA_BREAKING: {
    when: "An edit of an active feed with a locked schema, whose new schema may break agents built on the old one, without a higher `schema_version`.",
    remedy:
      "If the change is intended, send a `schema_version` higher than the feed's; `changes` says what breaks. `?dry_run=true` checks an edit in advance.",
    extras: {
      changes: [
        {
          path: "/properties/place",
          change: "property removed",
          why: "readers rely on it, and rows may now lack it",
        },
      ],
    },
  },
  IMPORT_RUNNING: {
    when: "An import into a feed while another import into it is running.",
    remedy: "Wait until it has ended. An import whose connection broke ends within 15 seconds.",
  },
  BATCH_CLOSED: {
    when: "A push to a batch that was finalized or retired. In an import's last line: another batch was completed while it ran.",
    remedy: "Start a new batch with an unused `batch_id`, or import again.",
  },
  IDEMPOTENCY_KEY_REUSED: {
    when: "An `Idempotency-Key` that was sent with a different query or feed, or with a purchase, in the last 24 hours.",
    remedy:
      "Send a new key with each new read or purchase; reuse a key only to repeat the same request.",
  },
  IDEMPOTENCY_KEY_STALE: {
    when: "An `Idempotency-Key` that was used in the last 24 hours, for a feed whose data has since changed, or for a purchase that has since been undone. Nothing was charged; `usage_id` is the usage event that the key paid for.",
    remedy:
      "Send a new key to read the feed's current data, or to buy the feed again. This counts as a new read or purchase.",
    extras: { usage_id: USAGE_ID },
  },
  IDEMPOTENCY_KEY_ANSWERED: {
    when: "An `Idempotency-Key` of an operator call that created a key, repeated with a different admin key: the one that replaced the original in a rotation. Nothing is created a second time.",
    remedy:
      "The response is lost. Revoke the key that was created, and create another one with a new `Idempotency-Key`.",
  },
  IDEMPOTENCY_KEY_UNFINISHED: {
    when: "An `Idempotency-Key` of an operator call that is still running, or whose result was lost when its process ended.",
    remedy:
      "Try again in a moment. If the error persists, check whether the operation took place, and send a new key if it did not.",
  },
  REFERENCE_AMBIGUOUS: {
    when: "On operator routes: several accounts or keys match the name or prefix.",
    remedy: "Use an id; `detail` lists them.",
  },
  REFERENCE_TAKEN: {
    when: "A ledger entry with different content already uses the `reference`.",
    remedy: "Choose a different one; a reference can be reused only for the same entry.",
  },
  BALANCE_TOO_LARGE: {
    when: "A grant or refund that would make the balance larger than the ledger can store.",
    remedy: "Use a smaller amount.",
  },
  BALANCE_TOO_LOW: {
    when: "An attempt to revoke more credits than the account has.",
    remedy: "Revoke at most the balance.",
  },
  PROMOTION_TAKEN: {
    when: "A promotion code that already exists with different credits, redemptions or expiration.",
    remedy: "Choose another code.",
  },
  PROMOTION_REDEEMED: {
    when: "A promotion code that the account has already redeemed.",
    remedy: "No action needed: an account can redeem a code only once.",
  },
  PROMOTION_EXPIRED: { when: "A promotion code that has expired.", remedy: "Create another code." },
  PROMOTION_EXHAUSTED: {
    when: "A promotion code with no redemptions left.",
    remedy: "Create another code.",
  },
  PURCHASE_EXISTS: {
    when: "A feed that the account has already bought, under a different reference or from its balance.",
    remedy: "No action needed: the account can read the feed.",
  },
  NOTHING_CHARGED: {
    when: "A refund of a usage event that cost nothing.",
    remedy: "No action needed: there is nothing to refund.",
  },
  PAYOUT_ABOVE_OWED: {
    when: "A payout of more than the provider is owed, based on the sales counted so far.",
    remedy: "Check the amount. If it was already paid, send `allow_above`.",
  },
  OWNER_REQUIRED: {
    when: "A console operation that requires an owner of the account, by a member or a removed owner.",
    remedy: "Ask an owner of the account.",
  },
  PERSON_NOT_FOUND: {
    when: "On operator routes: no person has this id or email address.",
    remedy: "Check it against `GET /v1/operator/persons`.",
  },
  MEMBER_NOT_FOUND: {
    when: "The person is not a member of the account.",
    remedy: "Check the account's members.",
  },
  READER_NOT_FOUND: {
    when: "A grant that the account does not have, or that has ended.",
    remedy: "`GET /v1/provider/feed/{feed_id}/readers` lists the grants.",
  },
  ACCESS_REQUEST_NOT_FOUND: {
    when: "An answer to an access request that the feed does not have.",
    remedy: "`GET /v1/provider/feed/{feed_id}/access-requests` lists them.",
  },
  INVITATION_NOT_FOUND: {
    when: "The invitation has expired, or was withdrawn or accepted.",
    remedy: "Invite the address again.",
  },
  ACCOUNT_CLOSED: {
    when: "An operation on a closed account.",
    remedy: "Use another account: a closed account can't be reopened.",
  },
  ACCOUNT_OWED: {
    when: "Closing an account to which earnings are owed.",
    remedy: "Record the payout first.",
  },
  LAST_OWNER: {
    when: "Removing or demoting the last owner of an account that has other members.",
    remedy: "Make another member an owner first.",
  },
  MEMBER_EXISTS: {
    when: "An invitation for someone who is already a member of the account.",
    remedy: "No action needed: the person can sign in.",
  },
  INVITATIONS_LIMIT: {
    when: "An invitation to an account that has reached its limit of open invitations.",
    remedy: "Withdraw one, or wait until one expires after 7 days.",
  },
  KEYS_LIMIT: {
    when: "A new key for an account that has reached its limit of keys.",
    remedy: "Revoke a key that is no longer used.",
  },
  ADDRESS_INVALID: {
    when: "An invitation for something that is not an email address.",
    remedy: "Check the address.",
  },
  KEY_NOT_USABLE: {
    when: "An attempt to edit or rotate a revoked or expired key.",
    remedy: "Create a new key.",
  },
  FEED_LISTED: {
    when: "On operator routes: an attempt to decline a listed feed.",
    remedy: "Unpublish it first.",
  },
  FEED_DELETED: {
    when: "On operator routes: an attempt to publish, suspend or resume a deleted feed.",
    remedy: "Choose another feed: deletions are permanent.",
  },
  CURSOR_EXPIRED: {
    when: "A valid cursor into a batch that was replaced more than 15 minutes ago and then removed.",
    remedy: "Start again without a cursor.",
  },
  PAYLOAD_TOO_LARGE: {
    when: "A body, a row or a number of rows above the limit named in `limit`.",
    remedy: "Split the push into several requests, and keep each row within `max_bytes`.",
    extras: { limit: "row_payload", max_bytes: 51_200, row_index: 3 },
  },
  UNSUPPORTED_MEDIA_TYPE: {
    when: "A `Content-Type` that is not JSON, or a `Content-Encoding` other than identity and gzip.",
    remedy:
      "Send `Content-Type: application/json`; a push of rows may also be lines of `application/x-ndjson`.",
  },
  VALIDATION_FAILED: {
    when: "A body of the wrong shape, a bad row id or timestamp, or rows that don't match the locked schema. Nothing was stored.",
    remedy: "Fix the errors listed in `errors`; each path points into the body as sent.",
    extras: {
      errors: [{ path: "/payload/3/price", message: "must be a number" }],
      error_count: 1,
    },
  },
  SCHEMA_REQUIRED: {
    when: "A status other than draft without a `schema_definition`.",
    remedy: "Send a `schema_definition`, or keep the feed a draft.",
    extras: {
      errors: [{ path: "/schema_definition", message: "is required unless status is draft" }],
      error_count: 1,
    },
  },
  SCHEMA_INVALID: {
    when: "A `schema_definition` that is not a JSON Schema this gateway can use.",
    remedy: "Use JSON Schema 2020-12 or draft-07, without references to other documents.",
    extras: {
      errors: [{ path: "/schema_definition/type", message: "is not a JSON Schema type" }],
      error_count: 1,
    },
  },
  PRICING_INVALID: {
    when: "Prices that contradict `price_type` or are out of range.",
    remedy:
      "`free` has no price, `metered` needs `price_per_1k` above 0, `one_time` needs `one_time_price_cents` of at least 100.",
    extras: {
      errors: [{ path: "/price_per_1k", message: "must be above 0 for a metered feed" }],
      error_count: 1,
    },
  },
  KEY_NOT_FOR_READING: {
    when: "A daily budget or a list of feeds for a key that can't read.",
    remedy: "Set them on a read key.",
  },
  RATE_LIMITED: {
    when: "More calls in the last minute than the limit allows, or too many large projections; or more feeds deleted in 24 hours than ten times the quota.",
    remedy:
      "Wait `retry_after_ms`, then back off exponentially. Refused calls do not count toward the limit.",
    extras: { retry_after_ms: 4_200 },
  },
  TOO_MANY_WAITS: {
    when: "A follower beyond 20 open ones per account, or 10,000 per process.",
    remedy: "Close one of the open ones, or follow several streams less often, without `live`.",
    extras: { retry_after_ms: 5_000 },
  },
  INTERNAL: {
    when: "An error in the gateway. Nothing was charged.",
    remedy: "Try again; report `request_id` if it persists.",
  },
  REPORT_TOO_LONG: {
    when: "An operator's report that takes longer than a request may. It was canceled.",
    remedy: "Request a shorter period, or use the command, which waits longer.",
    extras: { retry_after_ms: 5_000 },
  },
  UNAVAILABLE: {
    when: "The gateway is draining, overloaded or can't reach its database. Nothing was charged.",
    remedy: "Try again after the number of seconds in `Retry-After`.",
    extras: { retry_after_ms: 1_000 },
  },
};
