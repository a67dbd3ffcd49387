/**
 * Admission of pushes: decided by the very statement that stores the push, or, where there is nothing to
 * store, by one of its own (`sql/functions/admit_push.sql`). Interface 8.3, decisions 5 and 7.
 *
 * In process there is only what is believed for a second, as for reads: a window that was full a moment
 * ago is full (`known_windows.ts`).
 *
 * @module
 */
import type { Metrics } from "../http/metrics.ts";
import type { WindowState } from "../http/rate_headers.ts";
import { assert } from "../lib/assert.ts";
import { US_PER_MS } from "../lib/time_units.ts";
import { type Claim, type Decision, windowOf } from "./admission.ts";
import { KnownWindows } from "./known_windows.ts";

/** Who pushes where, and how often that may be. */
export type PushClaim = Pick<Claim, "keyId" | "accountId" | "limit"> & { readonly feedId: string };

export type PushDecision =
  | { readonly kind: "granted"; readonly window: WindowState }
  | Extract<Decision, { kind: "limited" | "key_refused" }>;

/** What a statement that admits says; every outcome but `limited` and `key_refused` is a grant. */
export interface AdmittingRow {
  readonly outcome: string;
  readonly window_used: number | null;
  readonly frees_in_us: bigint | null;
  readonly oldest_us: bigint | null;
}

export interface PushAdmission {
  /** A refusal where the window is known to be full; undefined where the database must say. */
  refuse(claim: PushClaim): Extract<Decision, { kind: "limited" }> | undefined;
  /** What the database decided of a push; it was asked at `sentMs`, on the monotonic clock. */
  settle(claim: PushClaim, row: AdmittingRow, sentMs: number): PushDecision;
}

export function createPushAdmission(metrics: Metrics): PushAdmission {
  const knownWindows = new KnownWindows();
  return {
    refuse: (claim) => knownWindows.refuse({ ...claim, operation: "push" }),
    settle(claim, row, sentMs) {
      const decision = decisionOf(claim, row);
      if (decision.kind === "limited") {
        const fullForMs = Number(row.frees_in_us) / US_PER_MS;
        const known = { window: decision.window, sentMs, fullForMs };
        knownWindows.remember({ ...claim, operation: "push" }, known);
      }
      metrics.decided({ operation: "push", outcome: decision.kind, isLogged: false, credits: 0 });
      return decision;
    },
  };
}

function decisionOf({ limit }: PushClaim, row: AdmittingRow): PushDecision {
  if (row.outcome === "key_refused") return { kind: "key_refused" };
  assert(row.window_used !== null, "where the key is good, the window is told");
  const window = windowOf({
    windowLimit: limit,
    windowUsed: row.window_used,
    oldestUs: Number(row.oldest_us),
  });
  if (row.outcome !== "limited") return { kind: "granted", window };
  const retryAfterMs = Math.ceil(Number(row.frees_in_us) / US_PER_MS);
  return { kind: "limited", window, retryAfterMs };
}
