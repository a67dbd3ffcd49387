/**
 * Records the outcome of a push: in the metrics, and a refusal also in the feed's history. A stored push is added to
 * the history by the statement that stores it, and a failed import by the one that ends it.
 *
 * @module
 */
import type { WindowState } from "../admission/claims.ts";
import type { FeedType } from "../feeds/find.ts";
import type { Metrics } from "../http/metrics.ts";
import type { Problem } from "../http/problem_details.ts";
import type { Log } from "../lib/log.ts";
import { ERRORS_LISTED_MAX } from "../limits.ts";
import type { Database } from "../postgres/client/database.ts";
import type { Push } from "./parse_push.ts";
import type { CountedRefusal, UncountedRefusal } from "./push_problems.ts";
import type { StoredPush } from "./store_push.ts";

/** The outcome of a push. `isCounted`: whether it counts in the feed's window. */
export type Decision =
  | {
      readonly kind: "stored";
      readonly push: Push;
      readonly stored: StoredPush;
      /** The feed's setting when the push was stored. */
      readonly retentionDays: number | null;
      readonly window: WindowState;
    }
  | {
      readonly kind: "refused";
      readonly isCounted: true;
      readonly refusal: CountedRefusal;
      readonly feedType: FeedType | null;
      /** 0 if the rows could not be read. */
      readonly rowsReceived: number;
      /** Null if none was given, or if the body could not be read. */
      readonly batchId: string | null;
      readonly window: WindowState;
    }
  | { readonly kind: "refused"; readonly isCounted: false; readonly refusal: UncountedRefusal };

/** Counts the push. A dry run counts as a decision, not as a push. */
export function recordMetrics(metrics: Metrics, decision: Decision, isDryRun: boolean): void {
  const isUncounted = decision.kind === "refused" && !decision.isCounted;
  const outcome = isUncounted ? decision.refusal.kind : "granted";
  metrics.decided({ operation: "push", outcome, isLogged: false, credits: 0 });
  if (isDryRun) return;
  if (decision.kind === "stored") {
    const { feedType, rows } = decision.push;
    metrics.pushed({ feedType, outcome: "stored", rows: rows.length });
  } else if (decision.isCounted) {
    const { feedType, rowsReceived: rows } = decision;
    metrics.pushed({ feedType: feedType ?? "undecided", outcome: "refused", rows });
  }
}

export interface RefusedPush {
  readonly requestId: string;
  readonly feedId: string;
  readonly problem: Problem;
  readonly rowsReceived: number;
  readonly bodyBytes: number;
  /** Null if none was given, or if the body could not be read. */
  readonly batchId: string | null;
  /** When the request arrived, on the process's monotonic clock. */
  readonly startedMs: number;
  /** Number of pushes that this entry stands for. @default 1 */
  readonly times?: number;
}

/** Writes a refusal into the feed's history. If that fails, the refusal is answered all the same. */
export async function recordRefusal(
  { database, log }: { readonly database: Database; readonly log: Log },
  refused: RefusedPush,
): Promise<void> {
  const { requestId, feedId, problem, startedMs, times = 1 } = refused;
  const { rowsReceived, bodyBytes, batchId } = refused;
  const { code } = problem;
  const elapsedMs = Math.round(performance.now() - startedMs);
  try {
    await database.row("record_push", {
      feed_id: feedId,
      code,
      detail: problem.detailIn(),
      rows_received: rowsReceived,
      body_bytes: BigInt(bodyBytes),
      duration_ms: elapsedMs,
      batch_id: batchId,
      times,
    });
    await keepMistakes(database, { feedId, problem });
  } catch (error) {
    log.warn("refused push not recorded", { request_id: requestId, feed: feedId, error });
  }
}

/** Characters kept of each path and message. A path may have thousands. */
const MISTAKE_CHARS_MAX = 400;

/**
 * Keeps the mistakes of a refused push in place of those of the feed's earlier one. A refusal without any leaves them.
 *
 * @throws {DatabaseUnavailableError}
 */
export async function keepMistakes(
  database: Database,
  { feedId, problem }: Pick<RefusedPush, "feedId" | "problem">,
): Promise<void> {
  const { errors = [], errorCount = errors.length } = problem.options;
  if (errors.length === 0) return;
  const cut = (text: string) => text.slice(0, MISTAKE_CHARS_MAX).toWellFormed();
  const kept = errors.map(({ path, message, ...place }) => ({
    ...place,
    path: cut(path),
    message: cut(message),
  }));
  await database.row("keep_push_mistakes", {
    feed_id: feedId,
    detail: problem.detailIn(),
    mistakes: JSON.stringify(kept.slice(0, ERRORS_LISTED_MAX)),
    mistake_count: errorCount,
  });
}
