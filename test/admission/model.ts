/**
 * Admission as a plain model: one account, reads one by one, arrays and maps. What
 * `sql/functions/admit.sql` is compared with.
 *
 * @module
 */

export const MODEL_WINDOW_MS = 60_000;

export interface ModelFeed {
  readonly kind: "free" | "metered" | "one_time";
  readonly priceNanos: number;
}

export interface ModelClaim {
  /** Index into the feeds; undefined for a catalog call. */
  readonly feed: number | undefined;
  readonly isKeyRevoked: boolean;
  readonly idempotencyKey: string | undefined;
}

export interface ModelLimits {
  readonly free: number;
  readonly paid: number;
  readonly catalog: number;
}

export type ModelOutcome =
  | "granted"
  | "replayed"
  | "limited"
  | "unpaid"
  | "not_purchased"
  | "key_refused"
  | "key_reused";

export class AccountModel {
  readonly windows = new Map<string, number[]>();
  readonly remembered = new Map<string, number | undefined>();
  usageEvents = 0;

  constructor(
    readonly feeds: readonly ModelFeed[],
    readonly limits: ModelLimits,
    readonly purchases: ReadonlySet<number>,
    public balanceNanos: number,
  ) {}

  decide(claim: ModelClaim, nowMs: number): ModelOutcome {
    const feed = claim.feed === undefined ? undefined : this.feeds[claim.feed];
    if (claim.isKeyRevoked) return "key_refused";
    const key = claim.idempotencyKey;
    const isRemembered = key !== undefined && this.remembered.has(key);
    if (isRemembered && this.remembered.get(key) !== claim.feed) return "key_reused";
    const isBought = claim.feed !== undefined && this.purchases.has(claim.feed);
    if (feed?.kind === "one_time" && !isBought) return "not_purchased";
    const name = String(claim.feed);
    const live = (this.windows.get(name) ?? []).filter((hit) => hit > nowMs - MODEL_WINDOW_MS);
    const limit =
      feed === undefined
        ? this.limits.catalog
        : feed.kind === "free"
          ? this.limits.free
          : this.limits.paid;
    if (live.length >= limit) return "limited";
    const price = isRemembered ? 0 : (feed?.priceNanos ?? 0);
    if (price > this.balanceNanos) return "unpaid";
    this.windows.set(name, [...live, nowMs]);
    this.balanceNanos -= price;
    if (isRemembered) return "replayed";
    if (key !== undefined) this.remembered.set(key, claim.feed);
    this.usageEvents += 1;
    return "granted";
  }
}
