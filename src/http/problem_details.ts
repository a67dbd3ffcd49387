/**
 * Errors as answers: RFC 9457 problem details, created here and nowhere else.
 *
 * A route throws a `Problem`. `problemOf` (`problems.ts`) turns every other error into one, and `problemAnswer` builds
 * the answer. An answer never contains a stack, SQL text, or a file path. See `src/spec/decisions.md`, section 2.
 *
 * @module
 */

import { excerpt } from "../lib/code_points.ts";
import type { FieldError } from "../lib/field_error.ts";
import { mapTable } from "../lib/records.ts";
import { MS_PER_SECOND } from "../lib/time_units.ts";
import { ERRORS_LISTED_MAX } from "../limits.ts";
import { type Answer, CACHE_PRIVATE } from "./answer.ts";
import { type FaceWords, HTTP_WORDS } from "./face_words.ts";

/** Status and title of every code. */
export const PROBLEMS = {
  INVALID_REQUEST: { status: 400, title: "Invalid request" },
  QUERY_REQUIRED: { status: 400, title: "Search text required" },
  INVALID_PARAMETER: { status: 400, title: "Invalid parameter" },
  OPERATOR_DISABLED: { status: 400, title: "Filter operator disabled" },
  JSONPATH_INVALID: { status: 400, title: "Invalid JSONPath" },
  JSONPATH_FILTER_DISABLED: { status: 400, title: "JSONPath filters disabled" },
  CURSOR_INVALID: { status: 400, title: "Invalid cursor" },
  NOT_A_STREAM: { status: 400, title: "Not a stream" },
  BODY_NOT_JSON: { status: 400, title: "Body is not valid JSON" },
  SIGNATURE_INVALID: { status: 400, title: "Invalid signature" },
  PAYMENT_INVALID: { status: 400, title: "Invalid payment" },
  RANGE_INVALID: { status: 400, title: "Invalid range" },
  KEY_REQUIRED: { status: 401, title: "API key required" },
  KEY_INVALID: { status: 401, title: "Invalid API key" },
  INSUFFICIENT_CREDITS: { status: 402, title: "Insufficient credits" },
  PURCHASE_REQUIRED: { status: 402, title: "Purchase required" },
  PRICE_ABOVE_MAX: { status: 402, title: "Price above the maximum" },
  PAYMENT_REQUIRED: { status: 402, title: "Payment required" },
  PAYMENT_REFUSED: { status: 402, title: "Payment refused" },
  KEY_BUDGET_SPENT: { status: 402, title: "Key budget exhausted" },
  ORIGIN_FORBIDDEN: { status: 403, title: "Origin not allowed" },
  KEY_PERMISSION: { status: 403, title: "Key lacks the required permission" },
  KEY_SCOPE: { status: 403, title: "Feed outside key scope" },
  ACCESS_REQUIRED: { status: 403, title: "Feed access required" },
  ACCOUNT_SUSPENDED: { status: 403, title: "Account suspended" },
  FEED_SUSPENDED: { status: 403, title: "Feed suspended" },
  FEED_FORBIDDEN: { status: 403, title: "Not your feed" },
  FEED_QUOTA_EXCEEDED: { status: 403, title: "Feed quota exceeded" },
  TOPUP_LIMIT: { status: 403, title: "Top-up limit reached" },
  ADMIN_KEY_BY_COMMAND: { status: 403, title: "Admin keys require the command line" },
  OWNER_REQUIRED: { status: 403, title: "Account owner required" },
  NOTICE_TYPE_FORBIDDEN: { status: 403, title: "Notice type not allowed" },
  ROUTE_NOT_FOUND: { status: 404, title: "Route not found" },
  FEED_NOT_FOUND: { status: 404, title: "Feed not found" },
  FEED_NOT_SYNCED: { status: 404, title: "Feed has no data yet" },
  ACCOUNT_NOT_FOUND: { status: 404, title: "Account not found" },
  KEY_NOT_FOUND: { status: 404, title: "Key not found" },
  PERSON_NOT_FOUND: { status: 404, title: "Person not found" },
  MEMBER_NOT_FOUND: { status: 404, title: "Member not found" },
  READER_NOT_FOUND: { status: 404, title: "Reader not found" },
  ACCESS_REQUEST_NOT_FOUND: { status: 404, title: "Access request not found" },
  INVITATION_NOT_FOUND: { status: 404, title: "Invitation not found" },
  PROMOTION_NOT_FOUND: { status: 404, title: "Promotion not found" },
  USAGE_NOT_FOUND: { status: 404, title: "Usage event not found" },
  PURCHASE_NOT_FOUND: { status: 404, title: "Purchase not found" },
  WEBHOOK_NOT_FOUND: { status: 404, title: "Webhook not found" },
  DELIVERY_NOT_FOUND: { status: 404, title: "Delivery not found" },
  TOPUP_NOT_FOUND: { status: 404, title: "Top-up not found" },
  PAYOUT_NOT_FOUND: { status: 404, title: "Payout not found" },
  TOPUPS_OFF: { status: 404, title: "Top-ups not available" },
  METHOD_NOT_ALLOWED: { status: 405, title: "Method not allowed" },
  ENDPOINT_PATH_TAKEN: { status: 409, title: "endpoint_path already in use" },
  FEED_NEVER_PUSHED: { status: 409, title: "First push required" },
  ACCESS_REQUESTED: { status: 409, title: "Access already requested" },
  ACCESS_NOT_NEEDED: { status: 409, title: "Access request not needed" },
  ACCESS_ANSWERED: { status: 409, title: "Access request already answered" },
  FEED_NOT_FOR_SALE: { status: 409, title: "Feed not for sale" },
  PAYMENT_TAKEN: { status: 409, title: "Payment already used" },
  FEED_TYPE_LOCKED: { status: 409, title: "Feed type locked" },
  SCHEMA_BREAKING: { status: 409, title: "Breaking schema change" },
  IMPORT_RUNNING: { status: 409, title: "Import in progress" },
  BATCH_CLOSED: { status: 409, title: "Batch closed" },
  IDEMPOTENCY_KEY_REUSED: { status: 409, title: "Idempotency key reused" },
  IDEMPOTENCY_KEY_STALE: { status: 409, title: "Idempotency key is stale" },
  IDEMPOTENCY_KEY_ANSWERED: { status: 409, title: "Idempotency key already used" },
  IDEMPOTENCY_KEY_UNFINISHED: { status: 409, title: "Idempotent call not finished" },
  REFERENCE_AMBIGUOUS: { status: 409, title: "Ambiguous reference" },
  REFERENCE_TAKEN: { status: 409, title: "Reference already in use" },
  BALANCE_TOO_LARGE: { status: 409, title: "Balance too large" },
  BALANCE_TOO_LOW: { status: 409, title: "Balance too low" },
  PROMOTION_TAKEN: { status: 409, title: "Promotion code already in use" },
  PROMOTION_REDEEMED: { status: 409, title: "Promotion already redeemed" },
  PROMOTION_EXPIRED: { status: 409, title: "Promotion expired" },
  PROMOTION_EXHAUSTED: { status: 409, title: "No redemptions left" },
  PURCHASE_EXISTS: { status: 409, title: "Feed already purchased" },
  NOTHING_CHARGED: { status: 409, title: "Nothing was charged" },
  PAYOUT_ABOVE_OWED: { status: 409, title: "Payout exceeds the amount owed" },
  ACCOUNT_CLOSED: { status: 409, title: "Account closed" },
  ACCOUNT_OWED: { status: 409, title: "Unpaid earnings" },
  LAST_OWNER: { status: 409, title: "Account needs an owner" },
  MEMBER_EXISTS: { status: 409, title: "Already a member" },
  INVITATIONS_LIMIT: { status: 409, title: "Too many open invitations" },
  KEYS_LIMIT: { status: 409, title: "Too many keys" },
  WEBHOOKS_LIMIT: { status: 409, title: "Too many webhooks" },
  KEY_NOT_USABLE: { status: 409, title: "Key revoked or expired" },
  FEED_LISTED: { status: 409, title: "Feed is listed" },
  FEED_DELETED: { status: 409, title: "Feed deleted" },
  CURSOR_EXPIRED: { status: 410, title: "Cursor expired" },
  PAYLOAD_TOO_LARGE: { status: 413, title: "Payload too large" },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, title: "Unsupported media type" },
  VALIDATION_FAILED: { status: 422, title: "Validation failed" },
  SCHEMA_REQUIRED: { status: 422, title: "Schema required" },
  SCHEMA_INVALID: { status: 422, title: "Invalid schema" },
  PRICING_INVALID: { status: 422, title: "Invalid pricing" },
  ADDRESS_INVALID: { status: 422, title: "Invalid email address" },
  WEBHOOK_URL_INVALID: { status: 422, title: "Invalid webhook URL" },
  KEY_NOT_FOR_READING: { status: 422, title: "Not a read key" },
  RATE_LIMITED: { status: 429, title: "Rate limit exceeded" },
  TOO_MANY_WAITS: { status: 429, title: "Too many waiting followers" },
  INTERNAL: { status: 500, title: "Internal error" },
  REPORT_TOO_LONG: { status: 503, title: "Report timed out" },
  UNAVAILABLE: { status: 503, title: "Temporarily unavailable" },
} as const satisfies Readonly<Record<string, { status: number; title: string }>>;

export type ProblemCode = keyof typeof PROBLEMS;

/** The fragment of the docs page that explains a code. A problem's `type` ends with it. */
export function anchorOf(code: ProblemCode): string {
  return `errors-${code.toLowerCase().replaceAll("_", "-")}`;
}

const DOCS_PATHS = mapTable<ProblemCode, object, string>(
  PROBLEMS,
  (_, code) => `/docs#${anchorOf(code)}`,
);

/** A text, or one that depends on what its reader can use. */
export type Detail = string | ((words: FaceWords) => string);

interface ProblemOptions {
  /** One sentence about what is wrong, and at most one about what to do. */
  readonly detail: Detail;
  /** For a code that has two statuses. @default the table's */
  readonly status?: number;
  /** Members in addition to the standard ones, such as `retry_after_ms`, `limit`, and `billing_url`. */
  readonly extras?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** All headers of the answer except its request id, created once for many answers. They replace `headers`. */
  readonly sharedHeaders?: Headers;
  /** The parameter, or header, that a mistake is in. */
  readonly parameter?: string | undefined;
  /** Mistakes in the body. The first 20 are listed. */
  readonly errors?: readonly FieldError[];
  /** The number of all mistakes, if `errors` contains only the first ones. @default errors.length */
  readonly errorCount?: number;
  readonly cause?: unknown;
}

/** A refusal. It is thrown, but is not an `Error`, because an unused stack would cost a tenth of the whole refusal. */
export class Problem {
  readonly status: number;

  constructor(
    readonly code: ProblemCode,
    readonly options: ProblemOptions,
  ) {
    this.status = options.status ?? PROBLEMS[code].status;
  }

  /** The detail as a face words it. @default over HTTP */
  detailIn(words: FaceWords = HTTP_WORDS): string {
    const { detail } = this.options;
    return typeof detail === "string" ? detail : detail(words);
  }
}

/** The parts of the request that the response depends on. */
interface ProblemContext {
  readonly requestId: string;
  /** Without a trailing slash. */
  readonly baseUrl: string;
  /** Whether the route needs a key. If so, shared caches must not store its answers. */
  readonly isKeyed: boolean;
  /** Of the face that the request came through. @default those of HTTP */
  readonly words?: FaceWords;
  /** For a 503, if the client should wait longer than the problem says. */
  readonly retryAfterSeconds?: number | undefined;
}

export const PROBLEM_TYPE = "application/problem+json";
const RETRY_AFTER_UNAVAILABLE_SECONDS = 1;

/** 503 with a `Retry-After` of one second. */
export function unavailable(
  detail: Detail,
  options: Pick<ProblemOptions, "cause" | "headers"> = {},
): Problem {
  return new Problem("UNAVAILABLE", {
    ...options,
    detail,
    extras: { retry_after_ms: RETRY_AFTER_UNAVAILABLE_SECONDS * MS_PER_SECOND },
    headers: { "Retry-After": String(RETRY_AFTER_UNAVAILABLE_SECONDS), ...options.headers },
  });
}

/** The answer of a problem: `application/problem+json`. RFC 9457. */
export function problemAnswer(problem: Problem, context: ProblemContext): Answer {
  const { code, status, options } = problem;
  const { parameter, errors, sharedHeaders } = options;
  const { retryAfterSeconds, words = HTTP_WORDS } = context;
  const body: Record<string, unknown> = {
    type: context.baseUrl + DOCS_PATHS[code],
    title: PROBLEMS[code].title,
    status,
    detail: problem.detailIn(words),
    code,
    request_id: context.requestId,
  };
  // A spread would take a third of the whole function's time.
  for (const name in options.extras) body[name] = options.extras[name];
  if (parameter !== undefined) body.parameter = excerpt(words.nameOf(parameter));
  const headers: Record<string, string> =
    sharedHeaders === undefined
      ? {
          "Content-Type": PROBLEM_TYPE,
          ...(context.isKeyed && { "Cache-Control": CACHE_PRIVATE }),
          ...(status === 401 && { "WWW-Authenticate": "Bearer" }),
          ...options.headers,
        }
      : {};
  if (retryAfterSeconds !== undefined) {
    body.retry_after_ms = retryAfterSeconds * MS_PER_SECOND;
    headers["Retry-After"] = String(retryAfterSeconds);
  }
  if (errors !== undefined) {
    body.errors = errors.slice(0, ERRORS_LISTED_MAX);
    body.error_count = options.errorCount ?? errors.length;
  }
  return { status, body: JSON.stringify(body), headers, sharedHeaders };
}

/** `Retry-After` from a problem, for an answer that is not a problem document. */
export function retryAfterOf({ options }: Problem): Readonly<Record<string, string>> {
  const waitMs = Number(options.extras?.retry_after_ms ?? 0);
  return waitMs > 0 ? { "Retry-After": String(Math.ceil(waitMs / MS_PER_SECOND)) } : {};
}
