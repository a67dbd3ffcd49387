/**
 * The background jobs: what each does, how often, and how much at a time.
 *
 * Each is one statement, so that any number of processes may call it: a row of `maintenance_jobs` is
 * whose turn it is, what is due next and how far a pass has come. Time is passed in; in service it is
 * the database's (`maintenance.ts`). Decisions 4, 6 and 7.
 *
 * @module
 */

import { present } from "../lib/assert.ts";
import {
  ABANDONED_BATCH_MS,
  DELETED_SLUG_MS,
  FILTER_STEP_BYTES,
  FILTER_UNASKED_ROWS_MIN,
  IDEMPOTENCY_TTL_MS,
  PUSH_HISTORY_MS,
  RELIABILITY_HISTORY_MS,
  RETIRED_BATCH_GRACE_MS,
  USAGE_MONTHS_AHEAD,
} from "../limits.ts";
import type { Database } from "../postgres/client/query.ts";

export interface Job {
  /** As the log, the metrics and `maintenance_jobs` name it. */
  readonly name: string;
  /** From the end of a pass to the beginning of the next, over all processes. */
  readonly everyMs: number;
  /** Does one bounded piece at the time `now` (RFC 3339); true if more is left. */
  step(database: Database, now: string): Promise<boolean>;
}

export interface JobOptions {
  /** Whole days that usage events are kept. */
  readonly usageRetentionDays: number;
  /** Whole days that events of the audit trail are kept. */
  readonly auditRetentionDays: number;
  /** Writes down which keys this process has seen. */
  readonly flushKeyUses: () => Promise<void>;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Rows that one step removes at most: some 50 ms, in which it holds a connection of its own. */
const ROWS_MAX = 5_000;
const USAGE_ROWS_MAX = 10_000;
const BATCHES_MAX = 100;
const FEEDS_MAX = 200;
const ENTRIES_MAX = 10_000;
/** Events that retention removes in one step: readers and pushes of the stream wait for it. */
const EVENTS_MAX = 1_000;

export function createJobs(options: JobOptions): readonly Job[] {
  const { usageRetentionDays, auditRetentionDays, flushKeyUses } = options;
  return [
    job("retired batches", MINUTE_MS, (database, turn) =>
      database.row("remove_retired_rows", [...turn, interval(RETIRED_BATCH_GRACE_MS), ROWS_MAX]),
    ),
    job("deleted feeds", MINUTE_MS, (database, turn) =>
      database.row("remove_deleted_feeds", [...turn, interval(DELETED_SLUG_MS), ROWS_MAX]),
    ),
    job("event retention", MINUTE_MS, (database, turn) =>
      database.row("remove_expired_events", [...turn, EVENTS_MAX]),
    ),
    job("abandoned batches", 10 * MINUTE_MS, (database, turn) =>
      database.row("retire_abandoned_batches", [
        ...turn,
        interval(ABANDONED_BATCH_MS),
        BATCHES_MAX,
      ]),
    ),
    job("usage retention", HOUR_MS, (database, turn) => {
      const age = interval(usageRetentionDays * DAY_MS);
      return database.row("retire_usage", [...turn, age, USAGE_ROWS_MAX]);
    }),
    job("audit retention", HOUR_MS, (database, turn) => {
      const age = interval(auditRetentionDays * DAY_MS);
      const table = "audit_events";
      return database.row("remove_aged_rows", [...turn, age, ROWS_MAX, "audit retention", table]);
    }),
    job("idempotency keys", 10 * MINUTE_MS, (database, turn) => {
      // Admission ignores older ones.
      const age = interval(IDEMPOTENCY_TTL_MS);
      const table = "idempotency_keys";
      return database.row("remove_aged_rows", [...turn, age, ROWS_MAX, "idempotency keys", table]);
    }),
    job("reliability", 5 * MINUTE_MS, (database, turn) =>
      database.row("score_feeds", [...turn, interval(RELIABILITY_HISTORY_MS), FEEDS_MAX]),
    ),
    job("push history", HOUR_MS, (database, turn) =>
      database.row("prune_pushes", [...turn, interval(PUSH_HISTORY_MS), ROWS_MAX]),
    ),
    job("filter entries", MINUTE_MS, (database, turn) =>
      database.row("remove_filter_entries", [
        ...turn,
        interval(RETIRED_BATCH_GRACE_MS),
        ENTRIES_MAX,
      ]),
    ),
    job("filter indexes", MINUTE_MS, (database, turn) => {
      const bounds = [BigInt(FILTER_UNASKED_ROWS_MIN), FILTER_STEP_BYTES] as const;
      return database.row("index_large_batches", [...turn, ...bounds]);
    }),
    job("usage partitions", HOUR_MS, (database, turn) =>
      database.row("keep_usage_partitions", [...turn, USAGE_MONTHS_AHEAD]),
    ),
    {
      // Every process writes down its own.
      name: "key uses",
      everyMs: MINUTE_MS,
      async step() {
        await flushKeyUses();
        return false;
      },
    },
  ];
}

/** What each job's statement takes first: the time, and the pause to the next pass. */
type Turn = readonly [now: string, pause: string];

function job(
  name: string,
  everyMs: number,
  run: (database: Database, turn: Turn) => Promise<{ readonly is_more: boolean } | undefined>,
): Job {
  return {
    name,
    everyMs,
    step: async (database, now) => present(await run(database, [now, interval(everyMs)])).is_more,
  };
}

function interval(ms: number): string {
  return `${ms} milliseconds`;
}
