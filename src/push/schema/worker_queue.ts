/**
 * A queue in front of one worker, which is replaced if a job exceeds its time or crashes it.
 *
 * The worker has one job at a time, so the measured time is that job's own, and pending jobs lose nothing if the worker
 * is terminated. Accounts take turns, and a job leaves the queue when its caller stops waiting. So one account's jobs,
 * however many and slow, delay another account by only one job.
 *
 * Time limits are in processor time. On a busy machine, a job may take longer on the clock, up to a limit. The worker
 * starts with the first job, and does not keep the process alive while idle.
 *
 * @module
 */
import { US_PER_MS } from "../../lib/time_units.ts";
import { TurnQueue } from "../../lib/turn_queue.ts";
import { within } from "../../lib/within.ts";
import type { FromWorker, Job, JobOutcome } from "./worker_messages.ts";

export type QueueOutcome =
  | {
      readonly kind: "done";
      readonly outcome: JobOutcome;
      /** Processor time of the job, in milliseconds. */
      readonly processorMs: number;
    }
  /** The worker was terminated because of this job, or crashed. */
  | { readonly kind: "stopped" }
  /**
   * Too many jobs are waiting, the queue is closed, no worker starts, the machine has no time for the job, or the
   * caller stopped waiting.
   */
  | { readonly kind: "busy" };

/** The caller of a job. */
export interface Caller {
  /** Jobs of one account wait for each other. */
  readonly accountId: string;
  /** Aborted when the caller disconnects. A job that has not begun is then skipped. */
  readonly signal: AbortSignal;
}

export interface WorkerQueueOptions {
  readonly workerUrl: URL;
  /**
   * Processor time spent so far, in milliseconds. @default that of the whole process: a worker in a tight loop can't
   * report its own time, which is at most that of all threads together
   */
  readonly processorMs?: (() => number) | undefined;
}

export interface RunOptions {
  /** Processor time in milliseconds, counted from when the worker receives the job. */
  readonly timeMs: number;
  readonly caller: Caller;
}

/** Jobs that may wait for a worker. One account's jobs may take at most as many places as they leave free. */
export const JOBS_WAITING_MAX = 256;
/** On a busy machine, a job may take up to this many times its time limit on the clock. */
const JOB_LATENESS_MAX = 3;
/** Time for a worker to load, in milliseconds. 60 is typical, but a loaded machine is slow. */
const START_MS = 15_000;

interface Entry {
  readonly job: Job;
  readonly options: RunOptions;
  readonly settle: (outcome: QueueOutcome) => void;
}

const BUSY: QueueOutcome = { kind: "busy" };

export class WorkerQueue {
  readonly #workerUrl: URL;
  readonly #processorMs: () => number;
  readonly #waiting = new TurnQueue<Entry>(JOBS_WAITING_MAX);
  #worker: Worker | undefined;
  /** Settles `#nextMessage`. */
  #answer: (message: FromWorker | undefined) => void = () => {};
  #isServing = false;
  #isClosed = false;

  constructor({ workerUrl, processorMs = processMs }: WorkerQueueOptions) {
    this.#workerUrl = workerUrl;
    this.#processorMs = processorMs;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Runs the job when it is its account's turn. */
  run(job: Job, options: RunOptions): Promise<QueueOutcome> {
    const { accountId, signal } = options.caller;
    if (this.#isClosed || signal.aborted) return Promise.resolve(BUSY);
    return new Promise((resolve) => {
      const leave = () => {
        if (this.#waiting.remove(accountId, entry)) entry.settle(BUSY);
      };
      const settle = (outcome: QueueOutcome) => {
        signal.removeEventListener("abort", leave);
        resolve(outcome);
      };
      const entry: Entry = { job, options, settle };
      if (!this.#waiting.add(accountId, entry)) return resolve(BUSY);
      signal.addEventListener("abort", leave);
      if (!this.#isServing) this.#serve();
    });
  }

  /** Ends the worker. Pending jobs get `busy`. */
  close(): void {
    this.#isClosed = true;
    this.#endWorker();
    this.#refuseWaiting();
  }

  #refuseWaiting(): void {
    for (const entry of this.#waiting.drain()) entry.settle(BUSY);
  }

  /** Runs one job after another until none is waiting. */
  async #serve(): Promise<void> {
    this.#isServing = true;
    while (this.#waiting.size > 0) {
      const worker = this.#worker ?? (await this.#startWorker());
      if (worker === undefined) {
        this.#refuseWaiting();
        break;
      }
      const entry = this.#waiting.take();
      if (entry !== undefined) await this.#perform(worker, entry);
    }
    this.#worker?.unref();
    this.#isServing = false;
  }

  async #perform(worker: Worker, { job, options, settle }: Entry): Promise<void> {
    const { timeMs } = options;
    const startedMs = performance.now();
    const startedProcessorMs = this.#processorMs();
    const answer = this.#nextMessage();
    worker.ref();
    worker.postMessage(job);
    let waitMs = timeMs;
    for (;;) {
      const message = await within(answer, waitMs);
      if (message === undefined) return settle(this.#isClosed ? BUSY : { kind: "stopped" });
      if (typeof message === "object") return settle(message);
      // The processor time that the job did not get is added to its time.
      const missingMs = timeMs - (this.#processorMs() - startedProcessorMs);
      const leftMs = timeMs * JOB_LATENESS_MAX - (performance.now() - startedMs);
      waitMs = Math.min(missingMs, leftMs);
      if (waitMs > 0) continue;
      this.#endWorker();
      // A job that did not get its processor time proves nothing about the schema.
      return settle(missingMs > 0 ? BUSY : { kind: "stopped" });
    }
  }

  /** Undefined if no worker starts. */
  async #startWorker(): Promise<Worker | undefined> {
    // No environment: providers' schemas must not have access to the gateway's secrets.
    const worker = new Worker(this.#workerUrl, { env: {}, name: "schemas" });
    this.#worker = worker;
    const down = () => {
      if (this.#worker === worker) this.#endWorker();
    };
    worker.onmessage = ({ data }: MessageEvent<FromWorker>) => this.#answer(data);
    worker.onerror = (event: ErrorEvent) => {
      event.preventDefault();
      down();
    };
    worker.addEventListener("close", down);
    if ((await within(this.#nextMessage(), START_MS)) === "ready") return worker;
    this.#endWorker();
    return undefined;
  }

  /** The worker's next message. Undefined if it crashes or is ended. */
  #nextMessage(): Promise<FromWorker | undefined> {
    return new Promise((resolve) => {
      this.#answer = resolve;
    });
  }

  #endWorker(): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    this.#answer(undefined);
  }
}

function processMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / US_PER_MS;
}
