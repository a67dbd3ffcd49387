/**
 * Input and output of admission: the claim of a read, and the grant or refusal that answers it.
 *
 * @module
 */

/** A read or purchase that is charged and logged. Each operation has its own windows. */
export type LoggedOperation =
  | "data"
  | "stream"
  | "export"
  | "catalog"
  | "search"
  | "metadata"
  | "purchase";

/** A call that is limited in memory and not logged. */
export type UnloggedOperation =
  | "revalidate"
  | "mcp"
  | "account"
  | "usage"
  | "earnings"
  | "payouts"
  | "purchases"
  | "buy"
  | "topups"
  | "webhooks"
  | "feeds"
  | "save";

export type FeedAccess = "open" | "by_request" | "invited";

export type PriceType = "free" | "metered" | "one_time";

/** The terms of the feed that is read, as of the caller's plan. */
export interface FeedTerms {
  readonly feedId: string;
  /** The owner, whose reads are free. */
  readonly accountId: string;
  /** Who may read it: all accounts, or those with a grant. */
  readonly access: FeedAccess;
  /** Increases with every change of the feed's definition, including its price. */
  readonly definitionVersion: bigint;
  readonly priceType: PriceType;
  /** Nano-dollars per call. Null if the feed is sold once. */
  readonly callPriceNanos: bigint | null;
  /** USD cents. Null if the feed is not sold once. */
  readonly oneTimePriceCents: bigint | null;
}

/** Calls per window, by tier. */
export interface TierLimits {
  readonly free: number;
  /** For feeds that are metered or sold once. */
  readonly paid: number;
}

/** A read that asks for admission. */
export interface Claim {
  readonly operation: LoggedOperation;
  /** The feed that is read or described. */
  readonly feed?: FeedTerms;
  readonly limits: TierLimits;
  /** With the same account, key, query, and data, a read repeats the same usage event for 24 hours. */
  readonly idempotency?: IdempotencyKey;
  /** The most nano-dollars that the caller will pay for the read. A read that costs more is refused. */
  readonly priceNanosMax?: bigint;
  /** Number of calls to charge. An export costs one call per hundred rows. @default 1 */
  readonly units?: bigint;
  /** The version of the feed's data that an Idempotency-Key is bound to. @default the newest */
  readonly version?: bigint;
}

export interface IdempotencyKey {
  readonly key: string;
  readonly queryHash: string;
}

/** State of a window after a decision. */
export interface WindowState {
  /** Calls per window. */
  readonly limit: number;
  readonly remaining: number;
  /** Unix epoch seconds, rounded up, at which the oldest counted call leaves the window. */
  readonly resetSeconds: number;
}

export type Limited = {
  readonly kind: "limited";
  readonly window: WindowState;
  readonly retryAfterMs: number;
};

/** What every refusal about money reports. */
interface Unpaid {
  readonly window: WindowState;
  /** The account's balance, without what reads in progress have reserved. */
  readonly balanceNanos: bigint;
}

/** The call costs more than is left of the key's budget for the UTC day. */
export interface BudgetSpent extends Unpaid {
  readonly kind: "budget_spent";
  readonly priceNanos: bigint;
  readonly budgetNanos: bigint;
  readonly spentNanos: bigint;
  /** Start of the next day, in microseconds of the Unix epoch. */
  readonly resetUs: number;
}

/** The account is suspended, so none of its keys may be used. */
export interface Suspended {
  readonly kind: "suspended";
  /** The reason, in the operator's words. */
  readonly reason: string;
}

export type Refusal =
  | Limited
  | (Unpaid & { readonly kind: "unpaid"; readonly priceNanos: bigint })
  /** The price is that of the purchase, in USD cents. */
  | (Unpaid & { readonly kind: "not_purchased"; readonly priceCents: bigint })
  | (Unpaid & {
      readonly kind: "above_max";
      readonly priceNanos: bigint;
      readonly priceNanosMax: bigint;
    })
  | BudgetSpent
  /** The feed is for accounts that were granted access. */
  | { readonly kind: "not_granted"; readonly access: FeedAccess }
  /** Whether the account has a grant for the feed is not known yet, so it must be proven. */
  | { readonly kind: "grant_unknown" }
  /** The key may not read this feed. */
  | { readonly kind: "out_of_scope" }
  | { readonly kind: "key_refused" }
  | Suspended
  /** The Idempotency-Key was used for another query. */
  | { readonly kind: "key_reused" }
  /** The data has moved since the Idempotency-Key was used. The usage event is the one that the key paid for. */
  | { readonly kind: "key_stale"; readonly usageId: string }
  | { readonly kind: "overloaded" };

/** The receipt of a read that was logged, or of the read that an Idempotency-Key repeats. */
export interface Receipt {
  /** UUIDv7 of the usage event. */
  readonly usageId: string;
  /** RFC 3339, UTC, microseconds, on the database's clock. */
  readonly timestamp: string;
  readonly chargeNanos: bigint;
}

export interface Grant {
  readonly kind: "granted";
  readonly receipt: Receipt;
  readonly window: WindowState;
  /** Whether an Idempotency-Key repeated an earlier usage event. */
  readonly isReplay: boolean;
}
