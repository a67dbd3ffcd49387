/**
 * Encodes a batch of reads as the parameters of `log_reads`, and decodes the outcomes from its row.
 *
 * @module
 */

import { US_PER_MS } from "../lib/time_units.ts";
import { WINDOW_US } from "../limits.ts";
import type { Parameters, Row } from "../postgres/client/database.ts";
import { type AccountNews, type NewsRow, newsOf } from "./known_accounts.ts";
import type { Reservation } from "./reservation.ts";

const BATCH_TOKEN_BYTES = 6;

/** What the log needs to know of a read in addition to its reservation. */
export interface LogOptions {
  /**
   * The version that is shown: of the feed's data, or of its row for metadata.
   * @default none
   */
  readonly shownVersion?: bigint | null;
  /**
   * Whether to log the read only if that version is the newest.
   * @default false
   */
  readonly mustBeNewest?: boolean;
  /**
   * The position after which a follower's page begins.
   * @default the read is no follower's page
   */
  readonly beginsAfter?: bigint | undefined;
  /**
   * Returns whether the client has disconnected, in which case the read is not logged. Called when the batch is sent.
   * @default it has not
   */
  readonly isGone?: () => boolean;
}

export interface ReadToLog extends LogOptions {
  readonly reservation: Reservation;
}

/** What `log_reads` did with one read. */
export type LogOutcome =
  /** Charged, logged, and committed. */
  | { readonly kind: "logged"; readonly usageId: string; readonly decidedUs: number }
  /** Nothing was written, because something has changed since the read was decided. */
  | { readonly kind: "data_moved"; readonly version: bigint }
  | { readonly kind: "changed" }
  | { readonly kind: "account_moved" }
  | { readonly kind: "held_back" };

/** What `log_reads` returns for an account: its balance after the charge, or its news. */
export interface LoggedAccount {
  readonly balanceNanos: bigint | undefined;
  readonly news: AccountNews | undefined;
}

export interface LoggedBatch {
  readonly decidedUs: number;
  /** Undefined if the clock was set back, so that nothing was written. */
  readonly reads: readonly LogOutcome[] | undefined;
  /** By account id. */
  readonly accounts: ReadonlyMap<string, LoggedAccount>;
}

/** 48 random bits in hexadecimal: the suffix of a batch's usage ids, known before the batch is sent. */
export function newBatchToken(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(BATCH_TOKEN_BYTES))).toString("hex");
}

export function versionOf(batchToken: string): number {
  return Number.parseInt(batchToken, 16);
}

/** Accounts of a batch, ordered by id. Locks are taken in the same order. */
export function accountsOf(reads: readonly ReadToLog[]) {
  const accounts = new Map(reads.map(({ reservation: { account } }) => [account.id, account]));
  return [...accounts.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
}

export function parametersOf(
  reads: readonly ReadToLog[],
  batchToken: string,
): Parameters<"log_reads"> {
  const accounts = accountsOf(reads);
  const reservations = reads.map(({ reservation }) => reservation);
  const numbers = new Map(accounts.map(({ id }, index) => [id, index + 1]));
  const numberOf = ({ account }: Reservation) => numbers.get(account.id) as number;
  const amounts = accounts.map(() => 0n);
  let clockUs = 0;
  for (const reservation of reservations) {
    const index = numberOf(reservation) - 1;
    amounts[index] = (amounts[index] as bigint) + reservation.priceNanos;
    clockUs = Math.max(clockUs, reservation.decidedUs);
  }
  const remembered = reads.flatMap((read, index) => {
    const { idempotency } = read.reservation.claim;
    if (idempotency === undefined) return [];
    const { shownVersion = null, beginsAfter = null } = read;
    return [{ ...idempotency, place: index + 1, shownVersion, beginsAfter }];
  });
  const budgeted = budgetedOf(reservations, numberOf);
  return {
    batch_token: batchToken,
    new_version: BigInt(versionOf(batchToken)),
    clock_us: BigInt(clockUs),
    window_us: WINDOW_US,
    account_ids: accounts.map(({ id }) => id),
    known_versions: accounts.map(({ version }) => BigInt(version)),
    known_generations: accounts.map(({ generation }) => generation),
    known_us: accounts.map(({ loggedUs }) => BigInt(loggedUs)),
    amounts: amounts,
    account_numbers: reservations.map(numberOf),
    operations: reservations.map(({ claim }) => claim.operation),
    feed_ids: reservations.map(({ claim }) => claim.feed?.feedId ?? null),
    definition_versions: reservations.map(({ claim }) => claim.feed?.definitionVersion ?? null),
    data_versions: reads.map(({ mustBeNewest, shownVersion }) =>
      mustBeNewest === true ? (shownVersion ?? null) : null,
    ),
    charges: reservations.map(({ priceNanos }) => priceNanos),
    key_ids: reservations.map(({ caller }) => caller.keyId),
    key_ends: reservations.map(endOf),
    remembered_reads: remembered.map(({ place }) => place),
    idempotency_keys: remembered.map(({ key }) => key),
    query_hashes: remembered.map(({ queryHash }) => queryHash),
    answered_versions: remembered.map(({ shownVersion }) => shownVersion),
    beginnings: remembered.map(({ beginsAfter }) => beginsAfter),
    budget_accounts: budgeted.map(({ account }) => account),
    budget_keys: budgeted.map(({ chainId }) => chainId),
    budget_amounts: budgeted.map(({ amount }) => amount),
  };
}

/** When the read is over, if it is not logged before: when its key or its grant ends. */
function endOf({ caller, grant }: Reservation): bigint | null {
  const keyEndUs = caller.endUs ?? Number.POSITIVE_INFINITY;
  const endUs = Math.min(keyEndUs, grant?.endUs ?? Number.POSITIVE_INFINITY);
  return endUs === Number.POSITIVE_INFINITY ? null : BigInt(endUs);
}

/** The charges per budget. */
function budgetedOf(
  reservations: readonly Reservation[],
  numberOf: (reservation: Reservation) => number,
) {
  const byChain = new Map<string, { account: number; chainId: string; amount: bigint }>();
  for (const reservation of reservations) {
    if (reservation.keySpending === undefined) continue;
    const { chainId } = reservation.caller;
    const known = byChain.get(chainId);
    if (known !== undefined) known.amount += reservation.priceNanos;
    else {
      const amount = reservation.priceNanos;
      byChain.set(chainId, { account: numberOf(reservation), chainId, amount });
    }
  }
  return [...byChain.values()];
}

export function loggedBatchOf(
  row: Row<"log_reads">,
  sent: readonly ReadToLog[],
  batchToken: string,
): LoggedBatch {
  const decidedUs = Number(row.decided_us);
  const accounts = new Map<string, LoggedAccount>();
  if (row.verdicts === null) return { decidedUs, reads: undefined, accounts };
  const { verdicts } = row;
  const balances = (row.balances ?? "").split(",");
  const seen = (row.seen_versions ?? "").split(",");
  const news = newsByNumber(row.news);
  for (const [index, { id }] of accountsOf(sent).entries()) {
    const balance = balances[index];
    accounts.set(id, {
      balanceNanos: balance ? BigInt(balance) : undefined,
      news: news.get(index + 1),
    });
  }
  const reads = sent.map(({ reservation: { account } }, index): LogOutcome => {
    const verdict = verdicts[index];
    if (verdict === "d") return { kind: "data_moved", version: BigInt(seen[index] as string) };
    if (verdict !== "c") return { kind: "changed" };
    const logged = accounts.get(account.id);
    if (logged?.balanceNanos !== undefined) {
      return { kind: "logged", usageId: usageIdOf(decidedUs, index + 1, batchToken), decidedUs };
    }
    return { kind: logged?.news === undefined ? "held_back" : "account_moved" };
  });
  return { decidedUs, reads, accounts };
}

function newsByNumber(text: string | null): Map<number, AccountNews> {
  if (text === null) return new Map();
  const rows: readonly (readonly [number: number, news: NewsRow])[] = JSON.parse(text);
  return new Map(rows.map(([number, row]) => [number, newsOf(row)]));
}

/** Same format as `usage_id_of.sql`: time (48 bits of milliseconds, 12 of their fraction), place, token. */
function usageIdOf(timeUs: number, place: number, batchToken: string): string {
  const ms = Math.floor(timeUs / US_PER_MS);
  const fraction = Math.floor(((timeUs - ms * US_PER_MS) * 4_096) / US_PER_MS);
  const time = ms.toString(16).padStart(12, "0");
  const variant = (0x8000 + place).toString(16);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${fraction.toString(16).padStart(3, "0")}-${variant}-${batchToken}`;
}
