/**
 * A reservation: a place in a window, and the price, that a read under way has in memory. It ends when the read is
 * logged, or when it is released.
 *
 * @module
 */

import type { Claim } from "./claims.ts";
import {
  type Account,
  type Accounts,
  type Caller,
  type KeySpending,
  spendingOf,
} from "./known_accounts.ts";
import type { Remembered } from "./proofs.ts";
import type { WindowNumber } from "./sliding_windows.ts";
import { windowOf } from "./terms.ts";

export interface Reservation {
  readonly kind: "reserved";
  readonly caller: Caller;
  readonly account: Account;
  readonly claim: Claim;
  readonly window: WindowNumber;
  readonly priceNanos: bigint;
  /** The event that the read repeats, if any. */
  readonly remembered: Remembered | undefined;
  /** Of the caller's key, if it has a budget and the read costs something. */
  readonly keySpending: KeySpending | undefined;
  /** The database's clock, as estimated when the read was last decided. */
  decidedUs: number;
  /** The account's `newsCount` then. If newer news comes, the read must be decided again. */
  newsCount: number;
  /** Whether it has ended: the read was logged, or the reservation was released. */
  isReleased: boolean;
}

/** What a read reserves, and when that was decided. */
export interface ReserveOptions {
  readonly caller: Caller;
  readonly claim: Claim;
  readonly priceNanos: bigint;
  readonly remembered: Remembered | undefined;
  readonly decidedUs: number;
}

/** Reserves a place in the window, and the price from the balance and the key's budget. */
export function reserve(
  accounts: Accounts,
  { caller, claim, priceNanos, remembered, decidedUs }: ReserveOptions,
): Reservation {
  const { account } = caller;
  const isBudgeted = caller.dailyNanos !== null && priceNanos > 0n;
  const reservation: Reservation = {
    kind: "reserved",
    caller,
    account,
    claim,
    window: accounts.window(account, windowOf(claim.operation, claim.feed)),
    priceNanos,
    remembered,
    keySpending: isBudgeted ? spendingOf(account, caller.chainId) : undefined,
    decidedUs,
    newsCount: account.newsCount,
    isReleased: false,
  };
  account.reservations += 1;
  setCounted(accounts, reservation, true);
  return reservation;
}

/** Gives back what was reserved. Has no effect the second time. */
export function release(accounts: Accounts, reservation: Reservation): void {
  if (reservation.isReleased) return;
  const { account } = reservation;
  reservation.isReleased = true;
  account.reservations -= 1;
  setCounted(accounts, reservation, false);
  accounts.closeDropped(account);
}

/** Runs `decide` on the account as it would be without the reservation. */
export function without<Decision>(
  accounts: Accounts,
  reservation: Reservation,
  decide: () => Decision,
): Decision {
  setCounted(accounts, reservation, false);
  const decision = decide();
  setCounted(accounts, reservation, true);
  return decision;
}

/** Whether window, balance and budget count the reservation. */
function setCounted(
  { windows }: Accounts,
  { account, keySpending, priceNanos, window }: Reservation,
  isCounted: boolean,
): void {
  if (isCounted) windows.reserve(window);
  else windows.release(window);
  const moreNanos = isCounted ? priceNanos : -priceNanos;
  account.reservedNanos += moreNanos;
  if (keySpending !== undefined) keySpending.reservedNanos += moreNanos;
}
