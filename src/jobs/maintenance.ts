/**
 * Runs the background jobs (`jobs.ts`): one after the other, a step at a time, until it is stopped.
 *
 * Any number of processes do so; the database sees to it that each piece is done once. A step that fails
 * is logged and comes again at the job's next turn: nothing here ends a process or holds up an answer.
 *
 * @module
 */
import { setTimeout as pause } from "node:timers/promises";
import type { Metrics } from "../http/metrics.ts";
import type { Log } from "../lib/log.ts";
import type { Database } from "../postgres/client/database.ts";
import type { Job } from "./jobs.ts";

export interface MaintenanceOptions {
  /** Of its own: a step may hold its connection for a while. */
  readonly database: Database;
  readonly jobs: readonly Job[];
  readonly log: Log;
  readonly metrics?: Metrics;
  /** @default 60 s */
  readonly firstTurnMsMin?: number;
}

/** Between two steps of one pass, at least: what waits for a lock or for the disk comes between. */
const STEP_PAUSE_MS_MIN = 25;
/** A pass rests this many times as long as its steps last: it takes a quarter of one core at most. */
const REST_FACTOR = 3;
/** Before the first turn: a start has other work, and a process that is started again and again, too. */
const FIRST_TURN_MS_MIN = 60_000;
/** The first turn of a prompt job is within this time. Whether the job is due, the database decides. */
const PROMPT_TURN_MS_MAX = 10_000;
/** The part of a job's interval that its turns are spread over. */
const SPREAD = 0.2;

export function startMaintenance(options: MaintenanceOptions) {
  const { database, log, metrics, firstTurnMsMin = FIRST_TURN_MS_MIN } = options;
  const turns = options.jobs.map((job) => ({
    job,
    // Anywhere in the interval, so that processes that start together do not all ask at once.
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
        // Rejects at once when it is stopped.
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
      return false;
    }
  }

  const running = run();
  return {
    /** Resolves when the step under way has ended; no other begins. */
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
