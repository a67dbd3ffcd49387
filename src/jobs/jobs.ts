/**
 * The background jobs: what each does, how often, and how much at a time.
 *
 * Each is one statement, so that any number of processes may call it: a row of `maintenance_jobs` is
 * whose turn it is, what is due next and how far a pass has come. Time is passed in; in service it is
 * the database's (`maintenance.ts`). Decisions 4, 6 and 7.
 *
 * @module
 */

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
  /** From the end of a pass to the begin of the next, over all processes. */
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
    bounded("remove_retired_rows", {
      name: "retired batches",
      everyMs: MINUTE_MS,
      ageMs: RETIRED_BATCH_GRACE_MS,
      countMax: ROWS_MAX,
    }),
    bounded("remove_deleted_feeds", {
      name: "deleted feeds",
      everyMs: MINUTE_MS,
      ageMs: DELETED_SLUG_MS,
      countMax: ROWS_MAX,
    }),
    {
      name: "event retention",
      everyMs: MINUTE_MS,
      async step(database, now) {
        const parameters = [now, milliseconds(MINUTE_MS), EVENTS_MAX] as const;
        return (await database.row("remove_expired_events", parameters))?.is_more === true;
      },
    },
    bounded("retire_abandoned_batches", {
      name: "abandoned batches",
      everyMs: 10 * MINUTE_MS,
      ageMs: ABANDONED_BATCH_MS,
      countMax: BATCHES_MAX,
    }),
    bounded("retire_usage", {
      name: "usage retention",
      everyMs: HOUR_MS,
      ageMs: usageRetentionDays * DAY_MS,
      countMax: USAGE_ROWS_MAX,
    }),
    aged(["audit_events", "happened_at"], {
      name: "audit retention",
      everyMs: HOUR_MS,
      ageMs: auditRetentionDays * DAY_MS,
      countMax: ROWS_MAX,
    }),
    aged(["idempotency_keys", "happened_at"], {
      name: "idempotency keys",
      everyMs: 10 * MINUTE_MS,
      // Admission has not heeded them since.
      ageMs: IDEMPOTENCY_TTL_MS,
      countMax: ROWS_MAX,
    }),
    bounded("score_feeds", {
      name: "reliability",
      everyMs: 5 * MINUTE_MS,
      ageMs: RELIABILITY_HISTORY_MS,
      countMax: FEEDS_MAX,
    }),
    bounded("prune_pushes", {
      name: "push history",
      everyMs: HOUR_MS,
      ageMs: PUSH_HISTORY_MS,
      countMax: ROWS_MAX,
    }),
    bounded("remove_filter_entries", {
      name: "filter entries",
      everyMs: MINUTE_MS,
      ageMs: RETIRED_BATCH_GRACE_MS,
      countMax: ENTRIES_MAX,
    }),
    {
      name: "filter indexes",
      everyMs: MINUTE_MS,
      async step(database, now) {
        const bounds = [BigInt(FILTER_UNASKED_ROWS_MIN), FILTER_STEP_BYTES] as const;
        const parameters = [now, milliseconds(MINUTE_MS), ...bounds] as const;
        return (await database.row("index_large_batches", parameters))?.is_more === true;
      },
    },
    {
      name: "usage partitions",
      everyMs: HOUR_MS,
      async step(database, now) {
        const parameters = [now, milliseconds(HOUR_MS), USAGE_MONTHS_AHEAD] as const;
        return (await database.row("keep_usage_partitions", parameters))?.is_more === true;
      },
    },
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

/** Statements that take the time, the pause to the next pass, an age and a bound. */
type BoundedStatement =
  | "remove_retired_rows"
  | "remove_deleted_feeds"
  | "retire_abandoned_batches"
  | "retire_usage"
  | "score_feeds"
  | "prune_pushes"
  | "remove_filter_entries";

interface BoundedJob {
  readonly name: string;
  readonly everyMs: number;
  readonly ageMs: number;
  /** What one step looks at or removes, at most. */
  readonly countMax: number;
}

function bounded(statement: BoundedStatement, of: BoundedJob): Job {
  const { name, everyMs, ageMs, countMax } = of;
  return {
    name,
    everyMs,
    async step(database, now) {
      const parameters = [now, milliseconds(everyMs), milliseconds(ageMs), countMax] as const;
      return (await database.row(statement, parameters))?.is_more === true;
    },
  };
}

/** Removes rows by a table's column that tells their age. */
function aged([table, column]: readonly [string, string], of: BoundedJob): Job {
  const { name, everyMs, ageMs, countMax } = of;
  return {
    name,
    everyMs,
    async step(database, now) {
      const [pause, age] = [milliseconds(everyMs), milliseconds(ageMs)];
      const parameters = [name, table, column, now, pause, age, countMax] as const;
      return (await database.row("remove_aged_rows", parameters))?.is_more === true;
    },
  };
}

function milliseconds(count: number): string {
  return `${count} milliseconds`;
}
