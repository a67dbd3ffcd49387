/**
 * A place in a window and a price, taken in memory for a read that is on its way. It is logged, or released.
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
  /** Of the caller's key, where it has a budget and the read costs something. */
  readonly keySpending: KeySpending | undefined;
  /** The database's clock, as estimated when the read was last decided. */
  decidedUs: number;
  /** The account's `newsCount` then: by newer news, the read must be decided again. */
  newsCount: number;
  /** The version that is shown: of the feed's data, or for metadata of its row; null: none. */
  shownVersion: bigint | null;
  /** Whether it must still be the newest. */
  mustBeNewest: boolean;
  /** Of a follower's page: the position behind which it begins; null: it is none. */
  beginsAfter: bigint | null;
  /** Whether the client has gone: then the read is not logged. */
  isGone: () => boolean;
  /** Whether it was logged or released. */
  isSettled: boolean;
}

/** What a read takes, and when that was decided. */
export interface Taken {
  readonly caller: Caller;
  readonly claim: Claim;
  readonly priceNanos: bigint;
  readonly remembered: Remembered | undefined;
  readonly decidedUs: number;
}

/** Takes a place in the window, and the price from the balance and the key's budget. */
export function take(
  accounts: Accounts,
  { caller, claim, priceNanos, remembered, decidedUs }: Taken,
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
    shownVersion: null,
    mustBeNewest: false,
    beginsAfter: null,
    isGone: () => false,
    isSettled: false,
  };
  account.reservations += 1;
  hold(accounts, reservation);
  return reservation;
}

/** Gives back what the reservation took, once. */
export function release(accounts: Accounts, reservation: Reservation): void {
  if (reservation.isSettled) return;
  const { account } = reservation;
  reservation.isSettled = true;
  account.reservations -= 1;
  letGo(accounts, reservation);
  accounts.settle(account);
}

/** Lets `decide` see the account as if the reservation had not been made. */
export function without<Decision>(
  accounts: Accounts,
  reservation: Reservation,
  decide: () => Decision,
): Decision {
  letGo(accounts, reservation);
  const decision = decide();
  hold(accounts, reservation);
  return decision;
}

function hold({ windows }: Accounts, { account, keySpending, priceNanos, window }: Reservation) {
  windows.reserve(window);
  account.reservedNanos += priceNanos;
  if (keySpending !== undefined) keySpending.reservedNanos += priceNanos;
}

function letGo({ windows }: Accounts, { account, keySpending, priceNanos, window }: Reservation) {
  windows.release(window);
  account.reservedNanos -= priceNanos;
  if (keySpending !== undefined) keySpending.reservedNanos -= priceNanos;
}
