/**
 * Admission: authentication, window, credit and usage log as one decision, made by PostgreSQL.
 *
 * Everything that waits is decided by one statement and one commit (`sql/functions/admit.sql`), so a
 * read is logged and charged before its answer is sent, over any number of processes. In process there
 * is only what is believed for a second: a window that was full a moment ago is full, so it is refused
 * from memory (`known_windows.ts`). A read that is answered with an error after all is refunded
 * (`refunds.ts`). Decisions 6 and 7.
 *
 * @module
 */

import type { Metrics } from "../http/metrics.ts";
import type { WindowState } from "../http/rate_headers.ts";
import { assert } from "../lib/assert.ts";
import { Batcher } from "../lib/batcher.ts";
import type { Log } from "../lib/log.ts";
import { attempt, type MaybePromise } from "../lib/maybe_promise.ts";
import { US_PER_MS, US_PER_SECOND } from "../lib/time_units.ts";
import {
  ADMISSION_BATCH_MAX,
  ADMISSION_FLIGHTS_MAX,
  ADMISSION_QUEUE_MAX,
  ADMISSION_WAIT_MS_MAX,
  ADMISSION_WAITING_FREE,
  IDEMPOTENCY_TTL_US,
  LATENESS_MAX,
  WINDOW_US,
} from "../limits.ts";
import { isPartitionMissing, mayBeCommitted } from "../postgres/client/failures.ts";
import type { Database, Parameters } from "../postgres/client/query.ts";
import { retryRolledBack } from "../postgres/client/retry.ts";
import { type Decided, decidedOf, grantedOf } from "./decided.ts";
import { KnownWindows } from "./known_windows.ts";
import { LatelyRefused, type ReadCaller } from "./lately_refused.ts";
import { Refunds } from "./refunds.ts";
import { windowOfAccount } from "./window_key.ts";

/** What is limited: each operation has windows of its own. */
export type Operation =
  | "data"
  | "catalog"
  | "search"
  | "metadata"
  | "revalidate"
  | "account"
  | "usage"
  | "feeds"
  | "save";

/** One call that asks to be admitted. */
export interface Claim {
  readonly keyId: string;
  readonly accountId: string;
  readonly operation: Operation;
  /** The feed that is read; the window is the feed's for `data`. */
  readonly feedId?: string;
  /** The definition that the call was planned by; where the feed has another, the claim is stale. */
  readonly definitionVersion?: bigint;
  /** Calls in a window. */
  readonly limit: number;
  /** Calls in a window where the feed is metered or sold once. @default limit */
  readonly limitPaid?: number;
  /** Same account, key and query: the same usage event for 24 hours. Decisions 6. */
  readonly idempotency?: { readonly key: string; readonly queryHash: string };
  /** Whether the client has gone: a claim still waiting is then dropped, uncharged. */
  readonly isGone?: () => boolean;
}

export interface Grant {
  readonly kind: "granted";
  /** UUIDv7 of the usage event; null for operations that are not logged. */
  readonly usageId: string | null;
  /** RFC 3339, UTC, microseconds, on the database's clock. */
  readonly timestamp: string;
  readonly chargeNanos: bigint;
  readonly window: WindowState;
  /**
   * Of the feed, at the moment of the decision; of all its row for `metadata`; null where the claim
   * names no feed.
   */
  readonly dataVersion: bigint | null;
  /** Whether an Idempotency-Key gave an earlier usage event again. */
  readonly isReplay: boolean;
  /** Of the batch that was answered: by it the grant is refunded. */
  readonly batchToken: string;
}

export type Decision =
  | Grant
  | { readonly kind: "limited"; readonly window: WindowState; readonly retryAfterMs: number }
  | {
      readonly kind: "unpaid";
      readonly window: WindowState;
      readonly priceNanos: bigint;
      readonly balanceNanos: bigint;
    }
  | { readonly kind: "not_purchased"; readonly window: WindowState }
  | { readonly kind: "key_refused" }
  | { readonly kind: "feed_closed" }
  | { readonly kind: "stale" }
  | { readonly kind: "key_reused" }
  | { readonly kind: "overloaded" };

const NANOS_PER_CREDIT = 1_000;
const BATCH_TOKEN_BYTES = 6;

export interface AdmissionOptions {
  readonly database: Database;
  /** Reads in one statement at most. @default ADMISSION_BATCH_MAX */
  readonly batchMax?: number;
  /** Statements under way at most. @default ADMISSION_FLIGHTS_MAX */
  readonly flightsMax?: number;
  readonly metrics?: Metrics;
  readonly log?: Log;
}

export class Admission {
  readonly #options: AdmissionOptions;
  readonly #refunds: Refunds;
  readonly #knownWindows = new KnownWindows();
  readonly #latelyRefused = new LatelyRefused();
  readonly #batcher: Batcher<Claim, Decision>;

  constructor(options: AdmissionOptions) {
    const { database, log } = options;
    this.#options = options;
    this.#refunds = new Refunds({ database, ...(log && { log }) });
    this.#batcher = new Batcher<Claim, Decision>({
      batchMax: options.batchMax ?? ADMISSION_BATCH_MAX,
      flightsMax: options.flightsMax ?? ADMISSION_FLIGHTS_MAX,
      queueMax: ADMISSION_QUEUE_MAX,
      waitMsMax: ADMISSION_WAIT_MS_MAX,
      waitingFree: ADMISSION_WAITING_FREE,
      latenessMax: LATENESS_MAX,
      groupOf: (claim) => claim.idempotency && `${claim.accountId} ${claim.idempotency.key}`,
      // Batches lock their accounts: one that shared an account would only wait for the other's commit.
      holdOf: (claim) => claim.accountId,
      isWanted: (claim) => claim.isGone?.() !== true,
      run: (claims) => this.#decide(claims),
    });
  }

  /** Decides, at once where memory can; the claim of a client that has gone stays undecided for good. */
  admit(claim: Claim): MaybePromise<Decision> {
    return (
      this.#knownWindows.refuse(claim) ??
      this.#batcher.submit(claim).then((decision) => decision ?? OVERLOADED)
    );
  }

  /** Whether the caller was refused a moment ago: then nothing is done for it before it is admitted. */
  wasRefused(caller: ReadCaller): boolean {
    return this.#latelyRefused.has(caller);
  }

  /** Whether the claim's window is known to be full: then it is refused from memory. */
  isFull(claim: Claim): boolean {
    return this.#knownWindows.refuse(claim) !== undefined;
  }

  /** Gives back what a grant took whose read has failed since; tried again in the background. */
  async refund(claim: Claim, { usageId, batchToken }: Grant): Promise<void> {
    if (usageId === null) return;
    await this.#refunds.refundRead(claim, { usageId, batchToken });
    this.#knownWindows.forget(claim);
  }

  /** Resolves when nothing waits any more, refunds included. */
  async idle(): Promise<void> {
    await this.#batcher.idle();
    await this.#refunds.idle();
  }

  get waiting(): number {
    return this.#batcher.waiting;
  }

  async #decide(claims: readonly Claim[]): Promise<readonly Decision[]> {
    const { database, metrics } = this.#options;
    metrics?.batchSent(claims.length);
    const batchToken = newBatchToken();
    const sending = { batchToken, sentMs: performance.now(), sentAtMs: Date.now() };
    try {
      const send = () => retryRolledBack(() => this.#ask(claims, batchToken));
      const decided = await withUsagePartition(database, send);
      assert(decided.length === claims.length, "admit decides every read of a batch");
      return claims.map((claim, index) =>
        this.#settle(claim, { ...sending, decided: decided[index] as Decided }),
      );
    } catch (error) {
      // Every read of it is answered with an error now, and it may have been committed all the same.
      if (mayBeCommitted(error)) this.#refunds.loseBatch(claims, sending);
      throw error;
    }
  }

  /** A plain grant of a read that waits alone costs half as much; what it leaves open, `admit` decides. */
  async #ask(claims: readonly Claim[], batchToken: string): Promise<readonly Decided[]> {
    const { database } = this.#options;
    const [claim] = claims;
    if (claim !== undefined && claims.length === 1 && this.#isPlain(claim)) {
      const granted = await database.row("grant_read", grantParameters(claim, batchToken));
      if (granted !== undefined) return [grantedOf(granted)];
    }
    return decidedOf(await database.row("admit", admitParameters(claims, batchToken)));
  }

  #isPlain(claim: Claim): boolean {
    return claim.idempotency === undefined && !this.#latelyRefused.has(claim);
  }

  #settle(
    claim: Claim,
    answer: { readonly decided: Decided; readonly sentMs: number; readonly batchToken: string },
  ): Decision {
    const { decided, sentMs, batchToken } = answer;
    const decision = decisionOf(decided, batchToken);
    if (decision.kind === "limited") {
      this.#knownWindows.remember(claim, {
        window: decision.window,
        sentMs,
        fullForMs: decided.freesInUs / US_PER_MS,
        oldestForMs: decided.oldestInUs / US_PER_MS,
      });
    }
    this.#latelyRefused.note(claim, decision);
    this.#options.metrics?.decided({
      operation: claim.operation,
      outcome: decided.outcome,
      isLogged: decided.outcome === "granted" && decided.usageId !== null,
      credits: decided.outcome === "granted" ? Number(decided.chargeNanos) / NANOS_PER_CREDIT : 0,
    });
    return decision;
  }
}

/**
 * Partitions of the usage log are made ahead of time, by the database's clock: where that has leapt, the
 * one that it needs now is missing, and is made.
 */
async function withUsagePartition<Result>(
  database: Database,
  send: () => Promise<Result>,
): Promise<Result> {
  try {
    return await send();
  } catch (error) {
    if (!isPartitionMissing(error)) throw error;
    await database.rows("create_usage_partition", []);
    return send();
  }
}

const OVERLOADED: Decision = { kind: "overloaded" };

/** What is done for a grant: a fault in it gives the grant back. Decisions 6. */
export function refundedOnFault<T>(
  admission: Pick<Admission, "refund">,
  { claim, grant }: { readonly claim: Claim; readonly grant: Grant },
  work: () => MaybePromise<T>,
): MaybePromise<T> {
  return attempt(work, async (error) => {
    await admission.refund(claim, grant);
    throw error;
  });
}

/** 48 random bits in hexadecimal: the end of a batch's usage ids, known before it is sent. */
export function newBatchToken(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(BATCH_TOKEN_BYTES))).toString("hex");
}

/** A batch as the parallel arrays that `admit` takes; accounts and windows are numbered from 1. */
export function admitParameters(claims: readonly Claim[], batchToken: string): Parameters<"admit"> {
  const accountIds = [...new Set(claims.map((claim) => claim.accountId))].sort();
  const accountNumbers = new Map(accountIds.map((accountId, index) => [accountId, index + 1]));
  const windowNumbers = new Map<string, number>();
  const numberOfWindow = (claim: Claim) => {
    const key = claim.accountId + windowOfAccount(claim);
    const number = windowNumbers.get(key) ?? windowNumbers.size + 1;
    windowNumbers.set(key, number);
    return number;
  };
  return [
    accountIds,
    claims.map((claim) => accountNumbers.get(claim.accountId) as number),
    claims.map(numberOfWindow),
    claims.map((claim) => claim.keyId),
    claims.map((claim) => claim.operation),
    claims.map((claim) => claim.feedId ?? null),
    claims.map((claim) => claim.definitionVersion ?? null),
    claims.map((claim) => claim.limit),
    claims.map((claim) => claim.limitPaid ?? claim.limit),
    claims.map((claim) => claim.idempotency?.key ?? null),
    claims.map((claim) => claim.idempotency?.queryHash ?? null),
    WINDOW_US,
    IDEMPOTENCY_TTL_US,
    batchToken,
  ];
}

/** What `grant_read` takes. */
export function grantParameters(claim: Claim, batchToken: string): Parameters<"grant_read"> {
  return [
    claim.accountId,
    claim.keyId,
    claim.operation,
    claim.feedId ?? null,
    claim.definitionVersion ?? null,
    claim.limit,
    claim.limitPaid ?? claim.limit,
    WINDOW_US,
    batchToken,
  ];
}

function decisionOf(decided: Decided, batchToken: string): Decision {
  switch (decided.outcome) {
    case "granted":
    case "replayed":
      return {
        kind: "granted",
        isReplay: decided.outcome === "replayed",
        usageId: decided.usageId,
        timestamp: decided.timestamp,
        chargeNanos: decided.chargeNanos,
        window: windowOf(decided),
        dataVersion: decided.dataVersion,
        batchToken,
      };
    case "limited":
      return {
        kind: "limited",
        window: windowOf(decided),
        retryAfterMs: Math.ceil(decided.freesInUs / US_PER_MS),
      };
    case "not_purchased":
      return { kind: "not_purchased", window: windowOf(decided) };
    case "unpaid":
      return {
        kind: "unpaid",
        window: windowOf(decided),
        priceNanos: decided.chargeNanos,
        balanceNanos: decided.balanceNanos,
      };
    case "key_refused":
    case "feed_closed":
    case "stale":
    case "key_reused":
      return { kind: decided.outcome };
    default:
      throw new Error(`admit returned the unknown outcome "${decided.outcome}"`);
  }
}

/** The state of a window by what PostgreSQL says of it. */
export function windowOf({
  windowLimit,
  windowUsed,
  oldestUs,
}: Pick<Decided, "windowLimit" | "windowUsed" | "oldestUs">): WindowState {
  return {
    limit: windowLimit,
    remaining: Math.max(0, windowLimit - windowUsed),
    resetSeconds: Math.ceil(oldestUs / US_PER_SECOND),
  };
}
