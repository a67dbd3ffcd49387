/**
 * Decides whether an account may make a read now. Pure: takes account, claim, and time, and returns a refusal or
 * undefined. Checks run in this order: access, purchase, window, price, budget, credit. Suspended accounts, and keys
 * that have expired or are restricted to other feeds, have already been refused (`admission.ts`).
 *
 * See `src/spec/decisions.md`, section 2.
 *
 * @module
 */
import { US_PER_DAY, US_PER_MS, US_PER_SECOND } from "../lib/time_units.ts";
import type { Claim, Refusal, WindowState } from "./claims.ts";
import type { Proof } from "./proofs.ts";
import { isClosedTo, limitOf, priceOf, purchasePriceOf, type Reader } from "./terms.ts";

/** In nano-dollars. */
export interface KeyBudget {
  readonly budgetNanos: bigint;
  readonly spentNanos: bigint;
}

/** The parts of an account that decide a read. */
export interface AccountView extends Reader {
  /** Balance in nano-dollars, without reservations. */
  readonly freeNanos: bigint;
  /**
   * The daily budget of the caller's key, and what is spent of it, reservations included. Undefined if it has no
   * budget.
   */
  readonly budget: KeyBudget | undefined;
  /** Hits and reservations in the claim's window. */
  readonly used: number;
  /**
   * When the oldest of them leaves the window, in microseconds of the Unix epoch. `freesAtUs`: when a full window has
   * room again.
   */
  readonly resetUs: number;
  readonly freesAtUs: number;
}

export interface DecideOptions {
  /** Whether the window counts. It does not for HEAD. */
  readonly isWindowed: boolean;
  /** Whether the price counts. It does not for a replay. */
  readonly isPriced: boolean;
}

/** Returns the refusal, or undefined if the read is granted. */
export function decide(
  account: AccountView,
  claim: Claim,
  { nowUs, isWindowed, isPriced }: DecideOptions & { readonly nowUs: number },
): Refusal | undefined {
  if (claim.feed !== undefined && isClosedTo(claim, account)) {
    return { kind: "not_granted", access: claim.feed.access };
  }
  const limit = limitOf(claim);
  const window = describeWindow(account, limit);
  const balanceNanos = account.freeNanos;
  const priceCents = purchasePriceOf(claim, account);
  if (priceCents !== undefined) {
    return { kind: "not_purchased", window, priceCents, balanceNanos };
  }
  if (isWindowed && account.used >= limit) {
    const retryAfterMs = Math.max(1, Math.ceil((account.freesAtUs - nowUs) / US_PER_MS));
    return { kind: "limited", window, retryAfterMs };
  }
  const priceNanos = isPriced ? priceOf(claim, account) : 0n;
  const { priceNanosMax } = claim;
  if (priceNanosMax !== undefined && priceNanos > priceNanosMax) {
    return { kind: "above_max", window, priceNanos, balanceNanos, priceNanosMax };
  }
  const { budget } = account;
  if (
    budget !== undefined &&
    priceNanos > 0n &&
    budget.spentNanos + priceNanos > budget.budgetNanos
  ) {
    const resetUs = nextDayUs(nowUs);
    return { kind: "budget_spent", window, priceNanos, balanceNanos, ...budget, resetUs };
  }
  if (priceNanos > balanceNanos) return { kind: "unpaid", window, priceNanos, balanceNanos };
  return undefined;
}

/**
 * Why a read does not repeat the read remembered under its Idempotency-Key. Undefined if it does, or if none is
 * remembered. Once the data has moved, a repeat would show data that the key has not paid for.
 */
export function judgeRepeat(
  { idempotency, version }: Claim,
  { remembered, feed }: Pick<Proof, "remembered" | "feed">,
): Refusal | undefined {
  if (idempotency === undefined || remembered === undefined) return undefined;
  if (remembered.queryHash !== idempotency.queryHash) return { kind: "key_reused" };
  const isMoved = remembered.answeredVersion !== (version ?? feed?.dataVersion);
  return isMoved ? { kind: "key_stale", usageId: remembered.receipt.usageId } : undefined;
}

/** The UTC day of a time in microseconds, in days since the Unix epoch. */
export function dayOf(timeUs: number): number {
  return Math.floor(timeUs / US_PER_DAY);
}

function nextDayUs(timeUs: number): number {
  return (dayOf(timeUs) + 1) * US_PER_DAY;
}

export function describeWindow(
  { used, resetUs }: Pick<AccountView, "used" | "resetUs">,
  limit: number,
): WindowState {
  return {
    limit,
    remaining: Math.max(0, limit - used),
    resetSeconds: Math.ceil(resetUs / US_PER_SECOND),
  };
}

/** RFC 3339 in UTC, to the microsecond. */
export function timestampOf(timeUs: number): string {
  const ms = Math.floor(timeUs / US_PER_MS);
  const rest = String(timeUs - ms * US_PER_MS).padStart(3, "0");
  return `${new Date(ms).toISOString().slice(0, -1)}${rest}Z`;
}
