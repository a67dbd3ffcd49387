/**
 * One push, step by step: receive the body, check it, store or count it, and record it.
 *
 * A push is checked against the feed as this process knows it, and stored by a statement that names the known
 * definition. If the feed's definition has changed, the statement does nothing, and the push is checked against the new
 * one. A push that is refused for its content is counted in the feed's window by a statement that compares the
 * definition in the same way. See `src/spec/decisions.md`, section 5.
 *
 * @module
 */
import type { WindowState } from "../admission/claims.ts";
import type { Keys, Principal } from "../api/callers/callers.ts";
import { actorOf } from "../api/callers/faces.ts";
import { problemOf } from "../api/problems/problems.ts";
import type { Feed, Feeds } from "../feeds/find.ts";
import type { Call } from "../http/call.ts";
import type { HoldBytes } from "../http/load/body_budget.ts";
import type { Metrics } from "../http/metrics.ts";
import type { Problem } from "../http/problem_details.ts";
import { assert } from "../lib/assert.ts";
import type { Log } from "../lib/log.ts";
import { PLANS_MAX } from "../limits.ts";
import { type Database, DatabaseUnavailableError } from "../postgres/client/database.ts";
import { type CheckServices, checkPush, type Unreadable } from "./check_push.ts";
import { freshFeed } from "./fresh_feed.ts";
import type { CountLimited } from "./limited_pushes.ts";
import type { PushBody } from "./parse_push.ts";
import { problemOfRefusal, type UncountedRefusal } from "./push_problems.ts";
import { receivePush } from "./receive_push.ts";
import { type Decision, recordMetrics, recordRefusal } from "./record_push.ts";
import type { PushStore } from "./store_push.ts";

/** A push that passed authentication and the ownership check. */
export interface Arrival {
  readonly call: Call;
  readonly principal: Principal;
  /** The feed as this process knows it. */
  readonly feed: Feed;
  readonly isDryRun: boolean;
  /** When the request arrived, on the process's monotonic clock. */
  readonly startedMs: number;
  /** Reports how many bytes of the body are in memory. */
  readonly hold: HoldBytes;
}

export interface PushServices extends CheckServices {
  readonly feeds: Feeds;
  readonly store: PushStore;
  readonly keys: Keys;
  readonly database: Database;
  readonly metrics: Metrics;
  readonly log: Log;
  readonly countLimited: CountLimited;
  /** Wakes the readers that wait for the feed. */
  readonly onMoved: (feedId: string, dataVersion: bigint) => void;
}

/** `isCounted`: whether the push counts in the feed's window. */
export type PushOutcome =
  | Extract<Decision, { readonly kind: "stored" }>
  | {
      readonly kind: "refused";
      readonly isCounted: true;
      readonly problem: Problem;
      readonly window: WindowState;
    }
  | { readonly kind: "refused"; readonly isCounted: false; readonly problem: Problem };

/**
 * Receives, checks, stores, and records a push.
 * @throws {DatabaseUnavailableError}
 * @throws {Problem} 503 if there is no room for the body; 403 if the key is no longer usable
 */
export async function pushToFeed(services: PushServices, arrival: Arrival): Promise<PushOutcome> {
  const { limits, keys, metrics } = services;
  const { call, principal, feed, isDryRun, startedMs, hold } = arrival;
  const { feedId, feedType } = feed;
  const body = await receivePush(call.request, { feedType, limits, hold });
  // The feed's type, and with it the body limit, may have changed. The next push looks the feed up again.
  if (body.kind === "unreadable") services.feeds.forget(feedId);
  const decision = await decide(services, arrival, body);
  recordMetrics(metrics, decision, isDryRun);
  if (decision.kind === "stored") return decision;
  const { refusal } = decision;
  // If the key is no longer usable, that is reported before anything else.
  if (refusal.kind === "key_refused") await keys.prove(principal);
  const problem = problemOfRefusal(refusal);
  if (!decision.isCounted) {
    if (refusal.kind === "limited") await recordLimited(services, arrival, problem);
    return { kind: "refused", isCounted: false, problem };
  }
  const { rowsReceived, batchId, window } = decision;
  if (!isDryRun && refusal.kind !== "failed") {
    const { requestId } = call;
    const refused = { requestId, feedId, problem, rowsReceived, batchId, startedMs };
    await recordRefusal(services, { ...refused, bodyBytes: body.bytes });
  }
  return { kind: "refused", isCounted: true, problem, window };
}

/** Adds a push that was refused by rate to the feed's history, together with others of the same minute. */
export async function recordLimited(
  services: PushServices,
  { call, feed, isDryRun, startedMs }: Pick<Arrival, "call" | "feed" | "isDryRun" | "startedMs">,
  problem: Problem,
): Promise<void> {
  const { feedId } = feed;
  const times = isDryRun ? 0 : services.countLimited(feedId, Date.now());
  if (times === 0) return;
  const { requestId } = call;
  const unread = { rowsReceived: 0, bodyBytes: 0, batchId: null };
  await recordRefusal(services, { requestId, feedId, problem, startedMs, times, ...unread });
}

/** Checks and stores, and repeats if the feed has changed in between. An internal error becomes a counted refusal. */
async function decide(
  services: PushServices,
  arrival: Arrival,
  body: PushBody | Unreadable,
): Promise<Decision> {
  let { feed } = arrival;
  try {
    for (let checks = 1; checks <= PLANS_MAX; checks++) {
      const decision = await attempt(services, { ...arrival, feed }, body);
      if (decision.kind !== "stale") return decision;
      const fresh = await freshFeed(services.feeds, feed);
      if (fresh.kind !== "fresh") return notCounted(fresh);
      feed = fresh.feed;
    }
    return notCounted({ kind: "feed_keeps_changing" });
  } catch (error) {
    if (error instanceof DatabaseUnavailableError) throw error;
    return countFailed(services, arrival, error);
  }
}

/** Checks the push against the known feed, and stores or counts it if the feed has not changed. */
async function attempt(
  services: PushServices,
  { call, principal: { keyId }, feed, isDryRun, startedMs }: Arrival,
  body: PushBody | Unreadable,
): Promise<Decision | { readonly kind: "stale" }> {
  const { store, feeds, onMoved } = services;
  const { feedId, feedType, status } = feed;
  const { signal } = call.request;
  const checked = await checkPush(services, { feed, body, signal });
  if (checked.kind === "refused") {
    const isChecked = checked.refusal.kind !== "unreadable";
    const outcome = await store.count({ feed, keyId }, { isChecked });
    if (outcome.kind === "stale") return outcome;
    if (outcome.kind !== "counted") return notCounted(outcome);
    return { ...checked, isCounted: true, feedType, window: outcome.window };
  }
  const { push } = checked;
  const elapsedMs = Math.round(performance.now() - startedMs);
  const fit = { push, isDryRun, bodyBytes: body.bytes, elapsedMs, signal };
  const outcome = await store.store({ feed, keyId, actor: actorOf(call.request, keyId) }, fit);
  switch (outcome.kind) {
    case "stale":
      return outcome;
    case "stored":
      // A first push changes the feed, so the next one must not be checked against the old one.
      if (feedType === null || status !== outcome.stored.status) feeds.forget(feedId);
      if (!isDryRun) onMoved(feedId, outcome.stored.dataVersion);
      return { ...outcome, push, retentionDays: feed.retentionDays };
    case "batch_closed": {
      const refusal = { kind: "batch_closed", batchId: push.batchId } as const;
      const rowsReceived = push.rows.length;
      const { window } = outcome;
      const { batchId } = push;
      return { kind: "refused", isCounted: true, refusal, feedType, rowsReceived, batchId, window };
    }
    default:
      return notCounted(outcome);
  }
}

/** Counts a push that failed by an internal error, because its own count was rolled back. */
async function countFailed(
  { store, log }: PushServices,
  { call, principal: { keyId }, feed }: Arrival,
  error: unknown,
): Promise<Decision> {
  let isCounted = false;
  try {
    const outcome = await store.count({ feed, keyId }, { isChecked: false });
    assert(outcome.kind !== "stale", "only a push that was checked can be stale");
    if (outcome.kind !== "counted") return notCounted(outcome);
    isCounted = true;
    const refusal = { kind: "failed", problem: problemOf(error) } as const;
    const { feedType } = feed;
    const { window } = outcome;
    const unread = { rowsReceived: 0, batchId: null };
    return { kind: "refused", isCounted, refusal, feedType, ...unread, window };
  } finally {
    // If it was counted, the error is logged as the answer's cause.
    if (!isCounted) log.error("push failed", { request_id: call.requestId, error });
  }
}

function notCounted(refusal: UncountedRefusal): Decision {
  return { kind: "refused", isCounted: false, refusal };
}
