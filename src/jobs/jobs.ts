/**
 * The background jobs: what each does, how often, and how much at a time.
 *
 * A step is one statement (`run_job.sql`), so any number of processes may call it. A row of `maintenance_jobs`
 * determines which process runs the next step, and records when it is due and the progress of the pass.
 *
 * @module
 */
import { present } from "../lib/assert.ts";
import { intervalOf, MS_PER_DAY, MS_PER_HOUR, MS_PER_MINUTE } from "../lib/time_units.ts";
import {
  ABANDONED_BATCH_MS,
  DELETED_SLUG_MS,
  EARNINGS_DAYS_DEFAULT,
  FILTER_STEP_BYTES,
  FILTER_UNASKED_ROWS_MIN,
  IDEMPOTENCY_TTL_MS,
  PROOF_HISTORY_MS,
  PUSH_HISTORY_MS,
  RELIABILITY_HISTORY_MS,
  RETIRED_BATCH_GRACE_MS,
  STATS_TOP_ROWS,
  UNUSED_CONNECTION_MS,
  USAGE_MONTHS_AHEAD,
} from "../limits.ts";
import type { Database } from "../postgres/client/database.ts";
import type { Survey } from "../postgres/client/survey.ts";

export interface Job {
  /** The name in the log, the metrics, and `maintenance_jobs`. */
  readonly name: string;
  /** From the end of a pass to the start of the next, over all processes. */
  readonly everyMs: number;
  /** Whether its first turn comes soon after the start, because readers wait for its results. @default false */
  readonly isPrompt?: boolean;
  /** Does one bounded piece. Returns true if more is left. `now` is RFC 3339. @default the database's clock */
  step(database: Database, now?: string): Promise<boolean>;
}

export interface JobOptions {
  /** Days that usage events are kept. */
  readonly usageRetentionDays: number;
  /** Days that events of the audit trail are kept. */
  readonly auditRetentionDays: number;
  /** Records which keys this process has seen. */
  readonly flushKeyUses: () => Promise<void>;
  /** Looks for a newer primary. Undefined if there is one host. */
  readonly survey?: Survey | undefined;
}

const PRIMARIES_MS = 10_000;
const LEDGER_MS = 10 * MS_PER_MINUTE;
/** Totals are at most a minute late, even if other jobs run first. */
const TOTALS_MS = 10_000;

/** The most rows that one step removes: about 50 ms, during which it holds its own connection. */
const ROWS_MAX = 5_000;
/** Events of the usage log that one step adds to the totals: about 200 ms. */
const EVENTS_COUNTED_MAX = 100_000;
const USAGE_ROWS_MAX = 10_000;
const BATCHES_MAX = 100;
const FEEDS_MAX = 200;
const ACCOUNTS_MAX = 1_000;
const ENTRIES_MAX = 10_000;
/** Events that retention removes in one step. Readers and pushes of the stream wait for it. */
const EVENTS_MAX = 1_000;

export function createJobs(options: JobOptions): readonly Job[] {
  const { usageRetentionDays, auditRetentionDays, flushKeyUses, survey } = options;
  return [
    // Closes sessions on an old primary, although they still work.
    ...(survey === undefined ? [] : [ownJob("primaries", PRIMARIES_MS, survey)]),
    job("retired batches", MS_PER_MINUTE, { ageMs: RETIRED_BATCH_GRACE_MS, amount: ROWS_MAX }),
    job("deleted feeds", MS_PER_MINUTE, { ageMs: DELETED_SLUG_MS, amount: ROWS_MAX }),
    job("event retention", MS_PER_MINUTE, { amount: EVENTS_MAX }),
    job("abandoned batches", 10 * MS_PER_MINUTE, {
      ageMs: ABANDONED_BATCH_MS,
      amount: BATCHES_MAX,
    }),
    // Before the retention of the log, which waits for it.
    { ...job("totals", TOTALS_MS, { amount: EVENTS_COUNTED_MAX }), isPrompt: true },
    // One extra, for the operators' totals, shows whether there are more.
    {
      ...job("top reads", TOTALS_MS, {
        ageMs: EARNINGS_DAYS_DEFAULT * MS_PER_DAY,
        amount: STATS_TOP_ROWS + 1,
      }),
      isPrompt: true,
    },
    job("usage retention", MS_PER_HOUR, {
      ageMs: usageRetentionDays * MS_PER_DAY,
      amount: USAGE_ROWS_MAX,
    }),
    job("audit retention", MS_PER_HOUR, {
      ageMs: auditRetentionDays * MS_PER_DAY,
      amount: ROWS_MAX,
    }),
    // Admission ignores older ones.
    job("idempotency keys", 10 * MS_PER_MINUTE, { ageMs: IDEMPOTENCY_TTL_MS, amount: ROWS_MAX }),
    job("unused connections", MS_PER_HOUR, { ageMs: UNUSED_CONNECTION_MS, amount: ROWS_MAX }),
    job("proofs", MS_PER_HOUR, { ageMs: PROOF_HISTORY_MS, amount: ROWS_MAX }),
    // An interrupted export can resume as long as its Idempotency-Key is known.
    job("exports", 10 * MS_PER_MINUTE, { ageMs: IDEMPOTENCY_TTL_MS, amount: ROWS_MAX }),
    // A score is promised to be at most five minutes old, and a run waits for its turn.
    job("reliability", 4 * MS_PER_MINUTE, { ageMs: RELIABILITY_HISTORY_MS, amount: FEEDS_MAX }),
    job("push history", MS_PER_HOUR, { ageMs: PUSH_HISTORY_MS, amount: ROWS_MAX }),
    job("filter entries", MS_PER_MINUTE, { ageMs: RETIRED_BATCH_GRACE_MS, amount: ENTRIES_MAX }),
    job("filter indexes", MS_PER_MINUTE, {
      amount: FILTER_UNASKED_ROWS_MIN,
      workMax: FILTER_STEP_BYTES,
    }),
    job("usage partitions", MS_PER_HOUR, { amount: USAGE_MONTHS_AHEAD }),
    job("overdue feeds", MS_PER_MINUTE, { amount: 1 }),
    job("minute retention", MS_PER_HOUR, { amount: ROWS_MAX }),
    // The console shows this first.
    { ...job("ledger check", LEDGER_MS, { amount: ACCOUNTS_MAX }), isPrompt: true },
    ownJob("key uses", MS_PER_MINUTE, flushKeyUses),
  ];
}

/** The bounds of a step. `run_job.sql` explains what they mean for each job. */
interface Bounds {
  readonly ageMs?: number;
  readonly amount: number;
  readonly workMax?: bigint | null;
}

function job(name: string, everyMs: number, { ageMs, amount, workMax = null }: Bounds): Job {
  const age = ageMs === undefined ? null : intervalOf(ageMs);
  return {
    name,
    everyMs,
    async step(database, now) {
      const done = await database.row("run_job", {
        job: name,
        moment: now ?? null,
        pause: intervalOf(everyMs),
        age,
        amount,
        work_max: workMax,
      });
      return present(done).is_more;
    },
  };
}

/** A job that every process does for itself, in one step. */
function ownJob(name: string, everyMs: number, work: () => Promise<unknown>): Job {
  return {
    name,
    everyMs,
    async step() {
      await work();
      return false;
    },
  };
}
