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
    when: "A path with dot segments or backslashes that leads to a route all the same, or more than one `Host`.",
    remedy: "Send the path as the documentation has it, and one `Host` header.",
  },
  QUERY_REQUIRED: {
    when: "A search without `q`, or with a blank one.",
    remedy: "Say what to look for, as in `/v1/search?q=earthquakes`.",
  },
  INVALID_PARAMETER: {
    when: "A query parameter that is unknown, repeated, of the wrong type, out of range, or of no use for the feed's type; a filter by a field that the feed's locked schema does not have.",
    remedy:
      "Read `detail`, which says what the parameter takes; `parameter` names it. Change the request before sending it again.",
    extras: { parameter: "limit" },
  },
  OPERATOR_DISABLED: {
    when: "A filter with another operator than `eq`, or on a nested field.",
    remedy: "Filter by `<field>=eq.<value>` on a top-level field, and do the rest on your side.",
  },
  JSONPATH_INVALID: {
    when: "`jsonpath` is no path that is understood, begins with a name though `data` is an array, picks more than 100,000 nodes or 8 MiB, or looks at more than 6,000,000 nodes.",
    remedy: "Write a projection such as `$[*].name`, `$.items[0:5]` or `$[*].{title: name}`.",
  },
  JSONPATH_FILTER_DISABLED: {
    when: "`jsonpath` holds a filter, script or function expression.",
    remedy: "Only projection is on offer; filter rows by `<field>=eq.<value>`.",
  },
  CURSOR_INVALID: {
    when: "A cursor that was not issued for this feed and these filters, or was changed.",
    remedy:
      "Pass `next_cursor` unchanged, with the same filters and time bounds, or begin without a cursor.",
  },
  NOT_A_STREAM: {
    when: "A feed of another type that is followed like a stream.",
    remedy: "Read it with `GET /v1/feed/{id}`, where `Prefer: wait=N` waits for a change.",
  },
  BODY_NOT_JSON: {
    when: "A body that is empty, not JSON, not UTF-8, or a broken gzip stream.",
    remedy: "Send one JSON value in UTF-8.",
  },
  SIGNATURE_INVALID: {
    when: "A message to `/webhooks/stripe` that Stripe has not signed with the configured secret in the last five minutes.",
    remedy: "Set `FEEDGATE_STRIPE_WEBHOOK_SECRET` to the signing secret of the endpoint at Stripe.",
  },
  PAYMENT_INVALID: {
    when: "A `PAYMENT-SIGNATURE` that is no payment of x402 version 2.",
    remedy: "Make it from the `PAYMENT-REQUIRED` of a 402, with a client of x402 version 2.",
  },
  RANGE_INVALID: {
    when: "On operator routes: a range that ends before it begins, or is too long.",
    remedy: "Swap the bounds, or ask for a shorter range.",
  },
  KEY_REQUIRED: {
    when: "No key, or an `Authorization` header that is no Bearer token.",
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
    when: "A feed that is sold once and that the account has not bought.",
    remedy:
      "Buy it with `POST /v1/feed/{id}/purchase` if `balance` covers `price`, else add credits at `billing_url` first. All reads of it are free from then on.",
    extras: { ...PAYMENT, price: { credits: 5_000_000, usd: 5 } },
  },
  PRICE_ABOVE_MAX: {
    when: "A call that costs more than its `Feedgate-Max-Credits`, or a purchase that costs more than its `max_credits`.",
    remedy: "Raise it if the data is worth `price` to you.",
    extras: { ...PAYMENT, price: { credits: 1.5, usd: 0.0000015 }, max_credits: 1 },
  },
  PAYMENT_REQUIRED: {
    when: "A top-up by x402 without a payment. The header `PAYMENT-REQUIRED` has the same in base64.",
    remedy: "Sign what `accepts` says, and repeat the call with `PAYMENT-SIGNATURE`.",
    extras: X402_OFFER,
  },
  PAYMENT_REFUSED: {
    when: "A payment by x402 that is not the one asked for, or that did not come in. Nothing was taken, as far as is known.",
    remedy:
      "Sign a new payment for the new offer. Where the answer has a `topup_id`, wait until `expires_at` first: if the payment comes in till then, it is granted.",
    extras: { reason: "insufficient_funds", ...X402_OFFER, error: "insufficient_funds" },
  },
  KEY_BUDGET_SPENT: {
    when: "A call that costs more than what is left of its key's daily budget. Nothing was charged.",
    remedy:
      "Wait until `resets_at`, the next UTC midnight, or use a key with a larger budget. A call that costs more than a whole day's budget needs the latter.",
    extras: {
      ...PAYMENT,
      budget: { credits: 100, usd: 0.0001 },
      spent: { credits: 99.5, usd: 0.0000995 },
      resets_at: "2026-11-22T00:00:00.000Z",
    },
  },
  ORIGIN_FORBIDDEN: {
    when: "A call of `/mcp` by a page of another site.",
    remedy: "Call it from a program, or ask the operator to allow the page's origin.",
  },
  KEY_PERMISSION: {
    when: "A write key on a consumer route, a read key on a provider route, or an admin key on either; on operator routes any key but an admin key.",
    remedy: "Send the key that the route takes.",
  },
  KEY_SCOPE: {
    when: "A feed that is not among those that the key may read.",
    remedy: "Use a key that may read it.",
  },
  ACCESS_REQUIRED: {
    when: "Data of a feed whose provider decides who reads it, with an account that was not granted access.",
    remedy:
      "Ask with `POST` to `request_path`, and say what you want the data for. The provider answers; `GET /v1/account/access-requests` shows the answer.",
    extras: { request_path: "/v1/feed/0199c1f0-0000-7000-8000-000000000001/access-requests" },
  },
  ACCOUNT_SUSPENDED: {
    when: "The operator has suspended the account of the key; `reason` says why.",
    remedy: "Settle it with the operator. Every key of the account works again when it is resumed.",
    extras: { reason: "too many leaked keys" },
  },
  FEED_SUSPENDED: {
    when: "A push to or an edit of a feed that the operator has suspended; `reason` says why.",
    remedy: "Settle it with the operator. Nothing of the feed was removed.",
    extras: { reason: "a complaint about its licence" },
  },
  FEED_FORBIDDEN: {
    when: "A push or edit of a feed that the key's account does not own. An unknown id gets the same answer.",
    remedy: "Check the id against `GET /v1/provider/feeds`.",
  },
  FEED_QUOTA_EXCEEDED: {
    when: "A new feed beyond the account's quota; drafts count.",
    remedy: "Edit one of your feeds, or ask the operator for a larger quota.",
    extras: { max_feeds_allowed: 3 },
  },
  TOPUP_LIMIT: {
    when: "A top-up beyond what may be paid in a UTC day, or while 20 of the account's, or 5 of a connected agent, wait to be paid.",
    remedy: "Pay one that waits, ask for less, or try again the next UTC day.",
  },
  ADMIN_KEY_BY_COMMAND: {
    when: "An admin key that is to be edited or rotated by the operator's API.",
    remedy: "Use `key edit` or `key rotate` of the command on the server.",
  },
  NOTICE_TYPE_FORBIDDEN: {
    when: "A webhook with a type of notice that keys of this permission do not receive.",
    remedy: "Name types of your key's permission, or use a key with another one.",
  },
  ROUTE_NOT_FOUND: {
    when: "An address that this gateway does not serve.",
    remedy: "Compare it with this page; a trailing slash counts.",
  },
  FEED_NOT_FOUND: {
    when: "A feed that is unknown, a draft or inactive.",
    remedy: "Find one with `GET /v1/catalog` or `GET /v1/search`.",
  },
  FEED_NOT_SYNCED: {
    when: "An active feed into which no data was ever pushed.",
    remedy: "Try again later; metadata says how often the feed is updated.",
  },
  ACCOUNT_NOT_FOUND: {
    when: "On operator routes: no account has the id or the exact name.",
    remedy: "Find it with `GET /v1/operator/accounts`.",
  },
  KEY_NOT_FOUND: {
    when: "On operator routes: no key has the id or the beginning. On an account's own: it has connected no agent with the key.",
    remedy: "Find it with `GET /v1/operator/keys`, or an own agent with `GET /v1/account`.",
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
    when: "A webhook beyond the 20 of an account.",
    remedy: "Delete one that you don't need.",
  },
  WEBHOOK_URL_INVALID: {
    when: "A webhook whose address is not https, is private, or is this gateway's own.",
    remedy: "Name one that can be reached from the internet, without user name and fragment.",
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
    when: "A top-up that the account has not begun.",
    remedy: "Take the `topup_id` that `POST /v1/topups` answered.",
  },
  PAYOUT_NOT_FOUND: {
    when: "On operator routes: a payout to take back that was never recorded, or that takes another one back itself.",
    remedy: "Take a `payout_id` of the list of payouts.",
  },
  TOPUPS_OFF: {
    when: "A top-up at a gateway that takes no payments by itself, or not in the way that was asked for.",
    remedy: "Ask the operator for credits; the `billing_url` of a 402 says how to pay.",
  },
  METHOD_NOT_ALLOWED: {
    when: "A known route with a method that it does not take.",
    remedy: "Use one of the methods in the `Allow` header.",
  },
  ENDPOINT_PATH_TAKEN: {
    when: "An `endpoint_path` that another feed has.",
    remedy: "Choose another one.",
  },
  FEED_NEVER_PUSHED: {
    when: "An edit that sets `status` to `active` before any push has succeeded.",
    remedy: "Push first: the first successful push activates the feed by itself.",
  },
  ACCESS_REQUESTED: {
    when: "A request for access while another one of the account waits, or within 7 days of a refusal.",
    remedy: "Wait for the answer, or until the time in `retry_at`.",
    extras: { retry_at: null },
  },
  ACCESS_NOT_NEEDED: {
    when: "A request for access to a feed that is open, your own, or granted to you.",
    remedy: "Read the feed.",
  },
  ACCESS_ANSWERED: {
    when: "A request for access that was answered before.",
    remedy:
      "Change the account's grant instead: `PUT` or `DELETE /v1/provider/feed/{feed_id}/readers/{account_id}`.",
  },
  FEED_NOT_FOR_SALE: {
    when: "A purchase of a feed that is not sold once, or of the account's own.",
    remedy: "Read it: a free feed and your own cost nothing, and a metered one charges each read.",
  },
  PAYMENT_TAKEN: {
    when: "A payment by x402 that was used before: by another caller, or elsewhere on the chain.",
    remedy: "Sign a new payment.",
  },
  FEED_TYPE_LOCKED: {
    when: "A change of `feed_type` once data is stored.",
    remedy: "Leave `feed_type` as it is, or create another feed.",
  },
  SCHEMA_BREAKING: {
    when: "An edit of an active feed with a locked schema, whose new schema may surprise agents that were built on the old one, without a higher `schema_version`.",
    remedy:
      "Send a `schema_version` above the feed's if the change is meant; `changes` says what breaks. `?dry_run=true` tells it before.",
    extras: {
      changes: [
        {
          path: "/properties/place",
          change: "property removed",
          why: "readers count on it, and rows may lack it now",
        },
      ],
    },
  },
  IMPORT_RUNNING: {
    when: "An import into a feed that another import is under way for.",
    remedy: "Wait until it has ended. One whose connection broke ends within 15 seconds.",
  },
  BATCH_CLOSED: {
    when: "A push to a batch that was finalized or retired. In an import's last line: another batch was completed while it ran.",
    remedy: "Begin a new batch with a `batch_id` not used before, or import again.",
  },
  IDEMPOTENCY_KEY_REUSED: {
    when: "An `Idempotency-Key` that was sent with another query or feed, or to buy, in the last 24 hours.",
    remedy:
      "Send a new key with each new read or purchase; repeat a key only to repeat the very same one.",
  },
  IDEMPOTENCY_KEY_STALE: {
    when: "An `Idempotency-Key` that was used in the last 24 hours, for a feed whose data has changed since, or for a purchase that was undone since. Nothing was charged; `usage_id` is the usage event that the key paid for.",
    remedy:
      "Send a new key to read what the feed holds now, or to buy the feed again. That is a new read or purchase.",
    extras: { usage_id: USAGE_ID },
  },
  IDEMPOTENCY_KEY_ANSWERED: {
    when: "An `Idempotency-Key` of an operator's call that made a key, sent with another admin key than the call was: the one that took its place by rotation. Nothing is made a second time.",
    remedy:
      "The answer is lost. Revoke the key that was made, and make another one with a new key.",
  },
  IDEMPOTENCY_KEY_UNFINISHED: {
    when: "An `Idempotency-Key` of an operator's call that still runs, or whose end was lost with its process.",
    remedy:
      "Try again in a moment. If it stays so, look whether the act took place, and send a new key if it did not.",
  },
  REFERENCE_AMBIGUOUS: {
    when: "On operator routes: several accounts or keys have the name or the beginning.",
    remedy: "Name one by its id; `detail` lists them.",
  },
  REFERENCE_TAKEN: {
    when: "A ledger entry of other content has the `reference`.",
    remedy: "Choose another one; the same reference is for the same entry only.",
  },
  BALANCE_TOO_LARGE: {
    when: "A grant or refund that would make the balance larger than the ledger can hold.",
    remedy: "Give less.",
  },
  BALANCE_TOO_LOW: {
    when: "More credits are to be taken back than the account has.",
    remedy: "Take back at most the balance.",
  },
  PROMOTION_TAKEN: {
    when: "A promotion code that is there with other credits, redemptions or end.",
    remedy: "Choose another code.",
  },
  PROMOTION_REDEEMED: {
    when: "A promotion code that the account has redeemed before.",
    remedy: "Leave it: an account redeems a code once.",
  },
  PROMOTION_EXPIRED: { when: "A promotion code that has ended.", remedy: "Make another code." },
  PROMOTION_EXHAUSTED: {
    when: "A promotion code without a redemption left.",
    remedy: "Make another code.",
  },
  PURCHASE_EXISTS: {
    when: "A purchase that the account has made already, under another reference or from its balance.",
    remedy: "Leave it: the feed is open to the account.",
  },
  NOTHING_CHARGED: {
    when: "A refund of a usage event that cost nothing.",
    remedy: "Leave it: there is nothing to give back.",
  },
  PAYOUT_ABOVE_OWED: {
    when: "A payout of more than the provider is owed, as far as its sales are counted.",
    remedy: "Check the amount. If it was paid all the same, send `allow_above`.",
  },
  OWNER_REQUIRED: {
    when: "An act in the console that takes an owner of the account, by somebody who is a member or was removed.",
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
    when: "An answer to a request for access that is not at the feed.",
    remedy: "`GET /v1/provider/feed/{feed_id}/access-requests` lists them.",
  },
  INVITATION_NOT_FOUND: {
    when: "The invitation has ended, or was withdrawn or accepted.",
    remedy: "Invite the address again.",
  },
  ACCOUNT_CLOSED: {
    when: "An act on an account that was closed.",
    remedy: "Use another account: a closed one stays closed.",
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
    when: "An invitation of an address whose person is a member of the account.",
    remedy: "Leave it: the person can sign in.",
  },
  INVITATIONS_LIMIT: {
    when: "An invitation to an account that has as many open ones as it may have.",
    remedy: "Withdraw one, or wait until it ends after 7 days.",
  },
  KEYS_LIMIT: {
    when: "A new key of an account whose owners have made as many as they may.",
    remedy: "Revoke one that is not used any more.",
  },
  ADDRESS_INVALID: {
    when: "An invitation of what is no email address.",
    remedy: "Check the address.",
  },
  KEY_NOT_USABLE: {
    when: "A revoked or expired key that is to be edited or rotated.",
    remedy: "Make a new key.",
  },
  FEED_LISTED: {
    when: "On operator routes: a listed feed that is to be declined.",
    remedy: "Unpublish it first.",
  },
  FEED_DELETED: {
    when: "On operator routes: a deleted feed that is to be published, suspended or resumed.",
    remedy: "Choose another feed: a deletion is for good.",
  },
  CURSOR_EXPIRED: {
    when: "A genuine cursor into a batch that has been replaced for 15 minutes and removed.",
    remedy: "Begin again without a cursor.",
  },
  PAYLOAD_TOO_LARGE: {
    when: "A body, a row or a number of rows above the limit that `limit` names.",
    remedy: "Split the push over several requests; keep each row within `max_bytes`.",
    extras: { limit: "row_payload", max_bytes: 51_200, row_index: 3 },
  },
  UNSUPPORTED_MEDIA_TYPE: {
    when: "A `Content-Type` that is not JSON, or a `Content-Encoding` other than identity and gzip.",
    remedy:
      "Send `Content-Type: application/json`; a push of rows may also be lines of `application/x-ndjson`.",
  },
  VALIDATION_FAILED: {
    when: "A body of the wrong shape, a bad row id or timestamp, or rows that break the locked schema. Nothing was stored.",
    remedy: "Mend what `errors` lists: each path points into the body as it was sent.",
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
    when: "A `schema_definition` that is no JSON Schema that this gateway can run.",
    remedy: "Use JSON Schema 2020-12 or draft-07, without references to other documents.",
    extras: {
      errors: [{ path: "/schema_definition/type", message: "is no JSON Schema type" }],
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
    when: "A daily budget or a list of feeds for a key that reads nothing.",
    remedy: "Give them to a read key.",
  },
  RATE_LIMITED: {
    when: "More calls in the last minute than the limit allows, or more projections that grow too large; more feeds deleted in 24 hours than ten times the quota.",
    remedy: "Wait `retry_after_ms`, then back off exponentially. Refused calls count nothing.",
    extras: { retry_after_ms: 4_200 },
  },
  TOO_MANY_WAITS: {
    when: "A follower beyond 20 open ones of an account, or 10,000 of a process.",
    remedy: "Close one of the open ones, or follow several streams less often, without `live`.",
    extras: { retry_after_ms: 5_000 },
  },
  INTERNAL: {
    when: "A fault of the gateway. Nothing was charged.",
    remedy: "Try again; report `request_id` if it persists.",
  },
  REPORT_TOO_LONG: {
    when: "A report of an operator that takes longer than a request may. Nothing of it runs on.",
    remedy: "Ask for a shorter period, or use the command, which waits longer.",
    extras: { retry_after_ms: 5_000 },
  },
  UNAVAILABLE: {
    when: "The gateway is draining, overloaded or without its database. Nothing was charged.",
    remedy: "Try again after the seconds in `Retry-After`.",
    extras: { retry_after_ms: 1_000 },
  },
};
