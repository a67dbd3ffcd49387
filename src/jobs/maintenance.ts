/**
 * Runs the background jobs (`jobs.ts`) one after another, a step at a time, until it is stopped.
 *
 * Any number of processes may do so. The database ensures that each piece is done once. A step that fails is logged and
 * repeated at the job's next turn. No failure here ends a process or delays a response.
 *
 * @module
 */
import { setTimeout as pause } from "node:timers/promises";
import type { Metrics } from "../http/metrics.ts";
import type { Log } from "../lib/log.ts";
import type { Database } from "../postgres/client/database.ts";
import type { Job } from "./jobs.ts";

export interface MaintenanceOptions {
  /** A pool of its own, because a step may hold its connection for a while. */
  readonly database: Database;
  readonly jobs: readonly Job[];
  readonly log: Log;
  readonly metrics?: Metrics;
  /** Called after a step has failed. */
  readonly onFailed?: (job: string, error: unknown) => Promise<unknown>;
  /** @default 60 s */
  readonly firstTurnMsMin?: number;
}

/** The minimum pause between two steps of one pass, so that others that wait for a lock or the disk get their turn. */
const STEP_PAUSE_MS_MIN = 25;
/** A pass rests this many times as long as its steps take, so it uses at most a quarter of one core. */
const REST_FACTOR = 3;
/** The delay before the first turn. A start has other work to do, especially in a process that restarts repeatedly. */
const FIRST_TURN_MS_MIN = 60_000;
/** The first turn of a prompt job is within this time. The database decides whether the job is due. */
const PROMPT_TURN_MS_MAX = 10_000;
/** The part of a job's interval over which its turns are spread. */
const SPREAD = 0.2;

export function startMaintenance(options: MaintenanceOptions) {
  const { database, log, metrics, firstTurnMsMin = FIRST_TURN_MS_MIN } = options;
  const turns = options.jobs.map((job) => ({
    job,
    // At a random time in the interval, so that processes that start together do not all run at once.
    atMs:
      performance.now() +
      (job.isPrompt === true
        ? Math.random() * Math.min(job.everyMs, PROMPT_TURN_MS_MAX)
        : firstTurnMsMin + Math.random() * job.everyMs),
  }));
  const stopping = new AbortController();
  const { signal } = stopping;

  async function run(): Promise<void> {
    while (!signal.aborted) {
      const turn = turns.reduce((first, each) => (each.atMs < first.atMs ? each : first));
      const waitMs = turn.atMs - performance.now();
      if (waitMs > 0) {
        // Rejects immediately when the jobs are stopped.
        await pause(waitMs, undefined, { signal }).catch(() => {});
        continue;
      }
      const startedMs = performance.now();
      const isMore = await step(turn.job);
      const restMs = Math.max(STEP_PAUSE_MS_MIN, REST_FACTOR * (performance.now() - startedMs));
      const spread = 1 + SPREAD * (Math.random() - 0.5);
      turn.atMs = performance.now() + (isMore ? restMs : turn.job.everyMs * spread);
    }
  }

  async function step(job: Job): Promise<boolean> {
    try {
      const isMore = await job.step(database);
      metrics?.maintained(job.name, false);
      return isMore;
    } catch (error) {
      metrics?.maintained(job.name, true);
      log.warn("background job failed", { job: job.name, error });
      // The database may be why it failed.
      await options.onFailed?.(job.name, error).catch(() => {});
      return false;
    }
  }

  const running = run();
  return {
    /** Resolves when the current step has ended. No other step starts. */
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
