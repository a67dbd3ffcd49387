/**
 * What is asked of admission, and what it answers.
 *
 * @module
 */

/** A read, or a purchase, that is charged and logged. Each operation has windows of its own. */
export type LoggedOperation =
  | "data"
  | "stream"
  | "export"
  | "catalog"
  | "search"
  | "metadata"
  | "purchase";

/** A call that is limited in memory and not logged. Decisions 7. */
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
  | "feeds"
  | "save";

export type PriceType = "free" | "metered" | "one_time";

/** What admission needs to know of the feed that is read, as the caller planned by it. */
export interface FeedTerms {
  readonly feedId: string;
  /** The owner, who reads it free. */
  readonly accountId: string;
  /** Moves with every change of the feed's definition, its price included. */
  readonly definitionVersion: bigint;
  readonly priceType: PriceType;
  /** Nano-dollars of one call; null if the feed is sold once. */
  readonly callPriceNanos: bigint | null;
  /** USD cents; null if the feed is not sold once. */
  readonly oneTimePriceCents: bigint | null;
}

/** Calls in a window, by tier. Interface 8.1. */
export interface TierLimits {
  readonly free: number;
  /** For feeds that are metered or sold once. */
  readonly paid: number;
}

/** One read that asks to be admitted. */
export interface Claim {
  readonly operation: LoggedOperation;
  /** The feed that is read or described. */
  readonly feed?: FeedTerms;
  readonly limits: TierLimits;
  /** Same account, key, query and data: the same usage event for 24 hours. Decisions 6. */
  readonly idempotency?: IdempotencyKey;
  /** Nano-dollars above which the caller does not want the read. Beyond 1. */
  readonly priceNanosMax?: bigint;
  /** Calls that it costs. An export costs one for each hundred rows. @default 1 */
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
  /** Calls in a window. */
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

/** What every refusal about money reports. Beyond 11. */
interface Unpaid {
  readonly window: WindowState;
  /** What the account has, without what reads under way have reserved. */
  readonly balanceNanos: bigint;
}

/** The key's budget of the UTC day does not cover the call. Beyond 1. */
export interface BudgetSpent extends Unpaid {
  readonly kind: "budget_spent";
  readonly priceNanos: bigint;
  readonly budgetNanos: bigint;
  readonly spentNanos: bigint;
  /** When the next day begins, in microseconds of the Unix epoch. */
  readonly resetUs: number;
}

/** No key of the account may be used at present. Beyond 2. */
export interface Suspended {
  readonly kind: "suspended";
  /** The operator's words. */
  readonly reason: string;
}

/** Why a read is refused. */
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
  /** The key may not read this feed. */
  | { readonly kind: "out_of_scope" }
  | { readonly kind: "key_refused" }
  | Suspended
  /** The Idempotency-Key was used for another query. */
  | { readonly kind: "key_reused" }
  /** The data has moved since the Idempotency-Key was used; the usage event is what it paid for. */
  | { readonly kind: "key_stale"; readonly usageId: string }
  | { readonly kind: "overloaded" };

/** A read that was logged, or one under an Idempotency-Key that repeats it. */
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
  /** Whether an Idempotency-Key gave an earlier usage event again. */
  readonly isReplay: boolean;
}
