/**
 * A place in a window and a price, taken in memory for a read that is on its way. It is logged, or released.
 *
 * @module
 */
import type { Account, Caller, KeySpending } from "./accounts.ts";
import type { WindowNumber } from "./sliding_windows.ts";
import type { Claim } from "./types.ts";

export interface Reservation {
  readonly kind: "reserved";
  readonly caller: Caller;
  readonly account: Account;
  readonly claim: Claim;
  readonly window: WindowNumber;
  readonly priceNanos: bigint;
  /** Of the caller's key, where it has a budget and the read costs something. */
  readonly keySpending: KeySpending | undefined;
  /** The database's clock, as estimated when the read was last decided. */
  decidedUs: number;
  /** The account's `newsCount` then: by newer news, the read must be decided again. */
  newsCount: number;
  /** The version that must still be the newest: of the feed's data, or for metadata of its row; null: none. */
  shownVersion: bigint | null;
  /** Whether the client has gone: then the read is not logged. */
  isGone: () => boolean;
  /** Whether it was logged or released. */
  isSettled: boolean;
}
