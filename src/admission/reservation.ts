/**
 * A reservation: the slot in a window and the price that a read in progress reserves in memory. It ends when the read
 * is logged or the reservation is released.
 *
 * @module
 */

import type { Claim } from "./claims.ts";
import {
  type AccessGrant,
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
  /** The account's grant for the feed, if it has one. The read must be logged before it ends. */
  readonly grant: AccessGrant | undefined;
  readonly priceNanos: bigint;
  /** The event that the read repeats, if any. */
  readonly remembered: Remembered | undefined;
  /** The spending of the caller's key, if the key has a budget and the read costs something. */
  readonly keySpending: KeySpending | undefined;
  /** The estimated time of the database's clock when the read was last decided. */
  decidedUs: number;
  /** The account's `newsCount` at that time. If it has increased, the read must be decided again. */
  newsCount: number;
  /** Whether it has ended: the read was logged, or the reservation was released. */
  isReleased: boolean;
}

/** What a read reserves, and when that was decided. */
export interface ReserveOptions {
  readonly caller: Caller;
  readonly claim: Claim;
  readonly grant: AccessGrant | undefined;
  readonly priceNanos: bigint;
  readonly remembered: Remembered | undefined;
  readonly decidedUs: number;
}

/** Reserves a slot in the window, and the price from the balance and the key's budget. */
export function reserve(
  accounts: Accounts,
  { caller, claim, grant, priceNanos, remembered, decidedUs }: ReserveOptions,
): Reservation {
  const { account } = caller;
  const isBudgeted = caller.dailyNanos !== null && priceNanos > 0n;
  const reservation: Reservation = {
    kind: "reserved",
    caller,
    account,
    claim,
    window: accounts.window(account, windowOf(claim.operation, claim.feed)),
    grant,
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

/** Frees what was reserved. Has no effect the second time. */
export function release(accounts: Accounts, reservation: Reservation): void {
  if (reservation.isReleased) return;
  const { account } = reservation;
  reservation.isReleased = true;
  account.reservations -= 1;
  setCounted(accounts, reservation, false);
  accounts.closeDropped(account);
}

/** Runs `decide` on the account as if the reservation didn't exist. */
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

/** Sets whether window, balance, and budget count the reservation. */
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
