/**
 * What `admit` answers for a batch, taken apart: one row of lists in, a decision for each read out; and
 * what `grant_read` answers for one read.
 *
 * @module
 */

import { US_PER_MS } from "../lib/time_units.ts";
import type { Row } from "../postgres/client/query.ts";

/** What PostgreSQL decided of one read. `sql/functions/admit.sql` says what the figures mean. */
export interface Decided {
  readonly outcome: string;
  readonly usageId: string | null;
  /** RFC 3339, UTC, microseconds: of the usage event, which is older where it is replayed. */
  readonly timestamp: string;
  readonly chargeNanos: bigint;
  readonly balanceNanos: bigint;
  readonly windowLimit: number;
  readonly windowUsed: number;
  /** Microseconds until a full window has room again. */
  readonly freesInUs: number;
  /** When the oldest hit that counts leaves the window, in Unix epoch microseconds. */
  readonly oldestUs: number;
  /** Microseconds until then. */
  readonly oldestInUs: number;
  readonly dataVersion: bigint | null;
}

/** One for each read, in their order; none where the batch had been given up as lost. */
export function decidedOf(row: Row<"admit"> | undefined): Decided[] {
  if (row === undefined) return [];
  const usageIds = row.usage_ids.split(",");
  const charges = row.charges_nanos.split(",");
  const balances = row.balances_nanos.split(",");
  const limits = row.window_limits.split(",");
  const used = row.windows_used.split(",");
  const frees = row.frees_us.split(",");
  const oldest = row.oldest_us.split(",");
  const dataVersions = row.data_versions.split(",");
  const replayed = row.replayed_us.split(",");
  const decidedUs = Number(row.decided_us);
  const decidedAt = rfc3339(decidedUs);
  return row.outcomes.split(",").map((outcome, index) => {
    const replayedUs = replayed[index] || undefined;
    return {
      outcome,
      usageId: usageIds[index] || null,
      timestamp: replayedUs === undefined ? decidedAt : rfc3339(Number(replayedUs)),
      chargeNanos: BigInt(charges[index] as string),
      balanceNanos: BigInt(balances[index] as string),
      windowLimit: Number(limits[index]),
      windowUsed: Number(used[index]),
      freesInUs: frees[index] ? Number(frees[index]) - decidedUs : 0,
      oldestUs: Number(oldest[index]),
      oldestInUs: Number(oldest[index]) - decidedUs,
      dataVersion: versionOf(dataVersions[index]),
    };
  });
}

/** Of a read that `grant_read` granted. */
export function grantedOf(row: Row<"grant_read">): Decided {
  const decidedUs = Number(row.decided_us);
  const oldestUs = Number(row.oldest_us);
  return {
    outcome: "granted",
    usageId: row.usage_id,
    timestamp: rfc3339(decidedUs),
    chargeNanos: row.charge_nanos,
    balanceNanos: row.balance_nanos,
    windowLimit: row.window_limit,
    windowUsed: row.window_used,
    freesInUs: 0,
    oldestUs,
    oldestInUs: oldestUs - decidedUs,
    dataVersion: row.data_version,
  };
}

function versionOf(text: string | undefined): bigint | null {
  return text ? BigInt(text) : null;
}

/** Microseconds of the Unix epoch, exact in a number until 2255, as RFC 3339 text. */
function rfc3339(microseconds: number): string {
  const fraction = String(microseconds % US_PER_MS).padStart(3, "0");
  const moment = new Date(Math.floor(microseconds / US_PER_MS));
  return moment.toISOString().replace("Z", `${fraction}Z`);
}
