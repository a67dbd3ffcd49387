/**
 * The errors that the client throws: one class for each `code` of a problem document (RFC 9457), and two for calls
 * without a response from a gateway.
 *
 * ```ts
 * try {
 *   await feedgate.read("gold-prices");
 * } catch (error) {
 *   if (error instanceof PurchaseRequiredError) console.log(error.problem.price);
 *   else throw error;
 * }
 * ```
 *
 * @module
 */
import type { Problem } from "./types.ts";

/** The base class of all errors of a failed call. An aborted call throws the reason of its `AbortSignal` instead. */
export class FeedgateError extends Error {
  override readonly name: string = "FeedgateError";
}

/** No complete response: the connection failed or broke, or the call timed out. `cause` contains the details. */
export class ConnectionError extends FeedgateError {
  override readonly name = "ConnectionError";
}

/** A response that does not come from a gateway, such as an error page of a proxy. */
export class AnswerError extends FeedgateError {
  override readonly name = "AnswerError";

  constructor(
    message: string,
    /** The HTTP status. */
    readonly status: number,
  ) {
    super(message);
  }
}

/** A call that the gateway refused. `message` is the problem's `detail`: what is wrong, and what to do. */
export class ProblemError extends FeedgateError {
  override readonly name: string = "ProblemError";
  /** The problem document, with the members of its code, such as `price`, `errors` or `retry_after_ms`. */
  readonly problem: Problem;
  /**
   * The number of rows that earlier requests of the same `push` have stored. Indexes in `problem.errors` and
   * `problem.row_index` are relative to the first row after these. 0 for all other calls.
   */
  readonly rowsBefore: number;

  constructor(problem: Problem, { rowsBefore = 0 }: { readonly rowsBefore?: number } = {}) {
    super(problem.detail);
    this.problem = problem;
    this.rowsBefore = rowsBefore;
  }

  /** The problem's code, such as `FEED_NOT_FOUND`. Codes are stable: branch on the code or on the class. */
  get code(): string {
    return this.problem.code;
  }

  /** The HTTP status. */
  get status(): number {
    return this.problem.status;
  }

  /** Identifies the call in the operator's log. */
  get requestId(): string {
    return this.problem.request_id;
  }
}

/** `INVALID_REQUEST`: The path contains dot segments or backslashes, or there is more than one `Host`. */
export class InvalidRequestError extends ProblemError {
  override readonly name = "InvalidRequestError";
}

/** `QUERY_REQUIRED`: The search text is empty. */
export class QueryRequiredError extends ProblemError {
  override readonly name = "QueryRequiredError";
}

/** `INVALID_PARAMETER`: A parameter is unknown, of the wrong type or out of range. */
export class InvalidParameterError extends ProblemError {
  override readonly name = "InvalidParameterError";
}

/** `OPERATOR_DISABLED`: A filter uses an operator other than `eq`, or a nested field. */
export class OperatorDisabledError extends ProblemError {
  override readonly name = "OperatorDisabledError";
}

/** `JSONPATH_INVALID`: The `jsonpath` can't be parsed, or selects too much. */
export class JsonPathInvalidError extends ProblemError {
  override readonly name = "JsonPathInvalidError";
}

/** `JSONPATH_FILTER_DISABLED`: The `jsonpath` contains a filter, script or function. */
export class JsonPathFilterDisabledError extends ProblemError {
  override readonly name = "JsonPathFilterDisabledError";
}

/** `CURSOR_INVALID`: The cursor or offset was not issued for this feed and query. */
export class CursorInvalidError extends ProblemError {
  override readonly name = "CursorInvalidError";
}

/** `NOT_A_STREAM`: Only streams can be followed. */
export class NotAStreamError extends ProblemError {
  override readonly name = "NotAStreamError";
}

/** `BODY_NOT_JSON`: The body, or a row passed as text, is not valid JSON. */
export class BodyNotJsonError extends ProblemError {
  override readonly name = "BodyNotJsonError";
}

/** `PAYMENT_INVALID`: The `PAYMENT-SIGNATURE` is not a valid x402 payment. */
export class PaymentInvalidError extends ProblemError {
  override readonly name = "PaymentInvalidError";
}

/** `RANGE_INVALID`: The range ends before it begins, or is too long. */
export class RangeInvalidError extends ProblemError {
  override readonly name = "RangeInvalidError";
}

/** `KEY_REQUIRED`: The call needs a key, and the client has none. */
export class KeyRequiredError extends ProblemError {
  override readonly name = "KeyRequiredError";
}

/** `KEY_INVALID`: The key is unknown, revoked or expired. */
export class KeyInvalidError extends ProblemError {
  override readonly name = "KeyInvalidError";
}

/** `INSUFFICIENT_CREDITS`: The price is higher than the balance. */
export class InsufficientCreditsError extends ProblemError {
  override readonly name = "InsufficientCreditsError";
}

/** `PURCHASE_REQUIRED`: The feed must be bought first. */
export class PurchaseRequiredError extends ProblemError {
  override readonly name = "PurchaseRequiredError";
}

/** `PRICE_ABOVE_MAX`: The price is higher than `maxCredits`. */
export class PriceAboveMaxError extends ProblemError {
  override readonly name = "PriceAboveMaxError";
}

/** `PAYMENT_REQUIRED`: The top-up needs an x402 payment; `problem` says what to sign. */
export class PaymentRequiredError extends ProblemError {
  override readonly name = "PaymentRequiredError";
}

/** `PAYMENT_REFUSED`: The payment was not accepted. */
export class PaymentRefusedError extends ProblemError {
  override readonly name = "PaymentRefusedError";
}

/** `KEY_BUDGET_SPENT`: The rest of the key's daily budget does not cover the price. */
export class KeyBudgetSpentError extends ProblemError {
  override readonly name = "KeyBudgetSpentError";
}

/** `ORIGIN_FORBIDDEN`: The call came from a page whose origin the gateway does not allow. */
export class OriginForbiddenError extends ProblemError {
  override readonly name = "OriginForbiddenError";
}

/** `KEY_PERMISSION`: The call needs a read key and got a write key, or the reverse. */
export class KeyPermissionError extends ProblemError {
  override readonly name = "KeyPermissionError";
}

/** `KEY_SCOPE`: The key may not read this feed. */
export class KeyScopeError extends ProblemError {
  override readonly name = "KeyScopeError";
}

/** `ACCESS_REQUIRED`: The provider has not granted the account access to the feed. */
export class AccessRequiredError extends ProblemError {
  override readonly name = "AccessRequiredError";
}

/** `ACCOUNT_SUSPENDED`: The operator has suspended the key's account. */
export class AccountSuspendedError extends ProblemError {
  override readonly name = "AccountSuspendedError";
}

/** `FEED_SUSPENDED`: The operator has suspended the feed. */
export class FeedSuspendedError extends ProblemError {
  override readonly name = "FeedSuspendedError";
}

/** `FEED_FORBIDDEN`: The key's account does not own the feed. */
export class FeedForbiddenError extends ProblemError {
  override readonly name = "FeedForbiddenError";
}

/** `FEED_QUOTA_EXCEEDED`: The account has reached its limit of feeds. */
export class FeedQuotaExceededError extends ProblemError {
  override readonly name = "FeedQuotaExceededError";
}

/** `TOPUP_LIMIT`: The account or the gateway has reached a limit of top-ups. */
export class TopupLimitError extends ProblemError {
  override readonly name = "TopupLimitError";
}

/** `ROUTE_NOT_FOUND`: The gateway does not serve this address. Check `url`. */
export class RouteNotFoundError extends ProblemError {
  override readonly name = "RouteNotFoundError";
}

/** `FEED_NOT_FOUND`: The feed is unknown, a draft or inactive. */
export class FeedNotFoundError extends ProblemError {
  override readonly name = "FeedNotFoundError";
}

/** `FEED_NOT_SYNCED`: The provider has pushed no data to the feed yet. */
export class FeedNotSyncedError extends ProblemError {
  override readonly name = "FeedNotSyncedError";
}

/** `ACCOUNT_NOT_FOUND`: No open account has this id. */
export class AccountNotFoundError extends ProblemError {
  override readonly name = "AccountNotFoundError";
}

/** `KEY_NOT_FOUND`: The account has no such key. */
export class KeyNotFoundError extends ProblemError {
  override readonly name = "KeyNotFoundError";
}

/** `WEBHOOK_NOT_FOUND`: The webhook is unknown, or not visible to the key. */
export class WebhookNotFoundError extends ProblemError {
  override readonly name = "WebhookNotFoundError";
}

/** `DELIVERY_NOT_FOUND`: The delivery is unknown, not visible to the key, or older than 30 days. */
export class DeliveryNotFoundError extends ProblemError {
  override readonly name = "DeliveryNotFoundError";
}

/** `NOTICE_TYPE_FORBIDDEN`: Keys with this permission do not receive notices of this type. */
export class NoticeTypeForbiddenError extends ProblemError {
  override readonly name = "NoticeTypeForbiddenError";
}

/** `WEBHOOKS_LIMIT`: The account has reached its limit of webhooks. */
export class WebhooksLimitError extends ProblemError {
  override readonly name = "WebhooksLimitError";
}

/** `WEBHOOK_URL_INVALID`: The URL of the webhook is not `https`, or not public. */
export class WebhookUrlInvalidError extends ProblemError {
  override readonly name = "WebhookUrlInvalidError";
}

/** `READER_NOT_FOUND`: The account has no grant for the feed. */
export class ReaderNotFoundError extends ProblemError {
  override readonly name = "ReaderNotFoundError";
}

/** `ACCESS_REQUEST_NOT_FOUND`: The feed has no such request. */
export class AccessRequestNotFoundError extends ProblemError {
  override readonly name = "AccessRequestNotFoundError";
}

/** `INVITATION_NOT_FOUND`: The feed has no such open invitation. */
export class InvitationNotFoundError extends ProblemError {
  override readonly name = "InvitationNotFoundError";
}

/** `TOPUP_NOT_FOUND`: The account has no such top-up. */
export class TopupNotFoundError extends ProblemError {
  override readonly name = "TopupNotFoundError";
}

/** `TOPUPS_OFF`: The gateway does not accept this payment method. */
export class TopupsOffError extends ProblemError {
  override readonly name = "TopupsOffError";
}

/** `METHOD_NOT_ALLOWED`: The route does not support this method. */
export class MethodNotAllowedError extends ProblemError {
  override readonly name = "MethodNotAllowedError";
}

/** `ENDPOINT_PATH_TAKEN`: Another feed has this slug. */
export class EndpointPathTakenError extends ProblemError {
  override readonly name = "EndpointPathTakenError";
}

/** `FEED_NEVER_PUSHED`: The feed can't be active before its first push. */
export class FeedNeverPushedError extends ProblemError {
  override readonly name = "FeedNeverPushedError";
}

/** `ACCESS_REQUESTED`: A request of the account is waiting, or was declined within the last 7 days. */
export class AccessRequestedError extends ProblemError {
  override readonly name = "AccessRequestedError";
}

/** `ACCESS_NOT_NEEDED`: The account can already read the feed. */
export class AccessNotNeededError extends ProblemError {
  override readonly name = "AccessNotNeededError";
}

/** `ACCESS_ANSWERED`: The request was already answered. */
export class AccessAnsweredError extends ProblemError {
  override readonly name = "AccessAnsweredError";
}

/** `FEED_NOT_FOR_SALE`: The feed has no one-time price, or is the account's own. */
export class FeedNotForSaleError extends ProblemError {
  override readonly name = "FeedNotForSaleError";
}

/** `PAYMENT_TAKEN`: The payment was already used. */
export class PaymentTakenError extends ProblemError {
  override readonly name = "PaymentTakenError";
}

/** `FEED_TYPE_LOCKED`: The type can't change while data is stored. */
export class FeedTypeLockedError extends ProblemError {
  override readonly name = "FeedTypeLockedError";
}

/** `SCHEMA_BREAKING`: The new schema may break agents, and needs a higher `schema_version`. */
export class SchemaBreakingError extends ProblemError {
  override readonly name = "SchemaBreakingError";
}

/** `BATCH_CLOSED`: The batch is complete or was replaced. */
export class BatchClosedError extends ProblemError {
  override readonly name = "BatchClosedError";
}

/** `IMPORT_RUNNING`: Another import into this feed is running. */
export class ImportRunningError extends ProblemError {
  override readonly name = "ImportRunningError";
}

/** `IDEMPOTENCY_KEY_REUSED`: The key was already used for a different call. */
export class IdempotencyKeyReusedError extends ProblemError {
  override readonly name = "IdempotencyKeyReusedError";
}

/** `IDEMPOTENCY_KEY_STALE`: The data has changed since the first call with this key, or the purchase was reversed. */
export class IdempotencyKeyStaleError extends ProblemError {
  override readonly name = "IdempotencyKeyStaleError";
}

/** `INVITATIONS_LIMIT`: The feed has reached its limit of open invitations. */
export class InvitationsLimitError extends ProblemError {
  override readonly name = "InvitationsLimitError";
}

/** `CURSOR_EXPIRED`: The rows of the cursor or export were replaced. Start again without it. */
export class CursorExpiredError extends ProblemError {
  override readonly name = "CursorExpiredError";
}

/** `PAYLOAD_TOO_LARGE`: A row or the request exceeds a limit, which `problem.limit` names. */
export class PayloadTooLargeError extends ProblemError {
  override readonly name = "PayloadTooLargeError";
}

/** `UNSUPPORTED_MEDIA_TYPE`: The body's media type or encoding is not supported. */
export class UnsupportedMediaTypeError extends ProblemError {
  override readonly name = "UnsupportedMediaTypeError";
}

/** `VALIDATION_FAILED`: Rows or fields are invalid; `problem.errors` lists them. */
export class ValidationFailedError extends ProblemError {
  override readonly name = "ValidationFailedError";
}

/** `SCHEMA_REQUIRED`: A feed can't leave the draft status without a schema. */
export class SchemaRequiredError extends ProblemError {
  override readonly name = "SchemaRequiredError";
}

/** `SCHEMA_INVALID`: The schema is not a JSON Schema that the gateway can use. */
export class SchemaInvalidError extends ProblemError {
  override readonly name = "SchemaInvalidError";
}

/** `PRICING_INVALID`: The prices contradict `price_type` or are out of range. */
export class PricingInvalidError extends ProblemError {
  override readonly name = "PricingInvalidError";
}

/** `ADDRESS_INVALID`: The text is not an email address. */
export class AddressInvalidError extends ProblemError {
  override readonly name = "AddressInvalidError";
}

/** `RATE_LIMITED`: A limit was reached, and retries did not help. */
export class RateLimitedError extends ProblemError {
  override readonly name = "RateLimitedError";
}

/** `TOO_MANY_WAITS`: The account or the process has too many open streams and long polls. */
export class TooManyWaitsError extends ProblemError {
  override readonly name = "TooManyWaitsError";
}

/** `INTERNAL`: An error in the gateway. Nothing was charged. */
export class InternalError extends ProblemError {
  override readonly name = "InternalError";
}

/** `UNAVAILABLE`: The gateway is stopping, is overloaded or can't reach its database, and retries did not help. */
export class UnavailableError extends ProblemError {
  override readonly name = "UnavailableError";
}

const CLASSES: Readonly<Record<string, typeof ProblemError>> = {
  INVALID_REQUEST: InvalidRequestError,
  QUERY_REQUIRED: QueryRequiredError,
  INVALID_PARAMETER: InvalidParameterError,
  OPERATOR_DISABLED: OperatorDisabledError,
  JSONPATH_INVALID: JsonPathInvalidError,
  JSONPATH_FILTER_DISABLED: JsonPathFilterDisabledError,
  CURSOR_INVALID: CursorInvalidError,
  NOT_A_STREAM: NotAStreamError,
  BODY_NOT_JSON: BodyNotJsonError,
  PAYMENT_INVALID: PaymentInvalidError,
  RANGE_INVALID: RangeInvalidError,
  KEY_REQUIRED: KeyRequiredError,
  KEY_INVALID: KeyInvalidError,
  INSUFFICIENT_CREDITS: InsufficientCreditsError,
  PURCHASE_REQUIRED: PurchaseRequiredError,
  PRICE_ABOVE_MAX: PriceAboveMaxError,
  PAYMENT_REQUIRED: PaymentRequiredError,
  PAYMENT_REFUSED: PaymentRefusedError,
  KEY_BUDGET_SPENT: KeyBudgetSpentError,
  ORIGIN_FORBIDDEN: OriginForbiddenError,
  KEY_PERMISSION: KeyPermissionError,
  KEY_SCOPE: KeyScopeError,
  ACCESS_REQUIRED: AccessRequiredError,
  ACCOUNT_SUSPENDED: AccountSuspendedError,
  FEED_SUSPENDED: FeedSuspendedError,
  FEED_FORBIDDEN: FeedForbiddenError,
  FEED_QUOTA_EXCEEDED: FeedQuotaExceededError,
  TOPUP_LIMIT: TopupLimitError,
  NOTICE_TYPE_FORBIDDEN: NoticeTypeForbiddenError,
  ROUTE_NOT_FOUND: RouteNotFoundError,
  FEED_NOT_FOUND: FeedNotFoundError,
  FEED_NOT_SYNCED: FeedNotSyncedError,
  ACCOUNT_NOT_FOUND: AccountNotFoundError,
  KEY_NOT_FOUND: KeyNotFoundError,
  WEBHOOK_NOT_FOUND: WebhookNotFoundError,
  DELIVERY_NOT_FOUND: DeliveryNotFoundError,
  READER_NOT_FOUND: ReaderNotFoundError,
  ACCESS_REQUEST_NOT_FOUND: AccessRequestNotFoundError,
  INVITATION_NOT_FOUND: InvitationNotFoundError,
  TOPUP_NOT_FOUND: TopupNotFoundError,
  TOPUPS_OFF: TopupsOffError,
  METHOD_NOT_ALLOWED: MethodNotAllowedError,
  ENDPOINT_PATH_TAKEN: EndpointPathTakenError,
  FEED_NEVER_PUSHED: FeedNeverPushedError,
  ACCESS_REQUESTED: AccessRequestedError,
  ACCESS_NOT_NEEDED: AccessNotNeededError,
  ACCESS_ANSWERED: AccessAnsweredError,
  FEED_NOT_FOR_SALE: FeedNotForSaleError,
  PAYMENT_TAKEN: PaymentTakenError,
  FEED_TYPE_LOCKED: FeedTypeLockedError,
  SCHEMA_BREAKING: SchemaBreakingError,
  WEBHOOKS_LIMIT: WebhooksLimitError,
  BATCH_CLOSED: BatchClosedError,
  IMPORT_RUNNING: ImportRunningError,
  IDEMPOTENCY_KEY_REUSED: IdempotencyKeyReusedError,
  IDEMPOTENCY_KEY_STALE: IdempotencyKeyStaleError,
  INVITATIONS_LIMIT: InvitationsLimitError,
  CURSOR_EXPIRED: CursorExpiredError,
  PAYLOAD_TOO_LARGE: PayloadTooLargeError,
  UNSUPPORTED_MEDIA_TYPE: UnsupportedMediaTypeError,
  VALIDATION_FAILED: ValidationFailedError,
  SCHEMA_REQUIRED: SchemaRequiredError,
  SCHEMA_INVALID: SchemaInvalidError,
  PRICING_INVALID: PricingInvalidError,
  ADDRESS_INVALID: AddressInvalidError,
  WEBHOOK_URL_INVALID: WebhookUrlInvalidError,
  RATE_LIMITED: RateLimitedError,
  TOO_MANY_WAITS: TooManyWaitsError,
  INTERNAL: InternalError,
  UNAVAILABLE: UnavailableError,
};

/** Creates the error for a problem document. Codes that this client does not know become a plain `ProblemError`. */
export function problemError(
  problem: Problem,
  options: { readonly rowsBefore?: number } = {},
): ProblemError {
  const Class = Object.hasOwn(CLASSES, problem.code) ? CLASSES[problem.code] : undefined;
  return new (Class ?? ProblemError)(problem, options);
}

/** Whether a value is a problem document. */
export function isProblem(value: unknown): value is Problem {
  return (
    typeof value === "object" &&
    value !== null &&
    "code" in value &&
    typeof value.code === "string" &&
    "detail" in value &&
    typeof value.detail === "string" &&
    "status" in value &&
    typeof value.status === "number"
  );
}
