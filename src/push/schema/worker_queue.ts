/**
 * A queue in front of one worker, which is replaced if a job outlasts its time or brings it down.
 *
 * One job is with the worker at a time, so the time that is measured is that job's own, and jobs that wait
 * lose nothing if the worker is terminated. Accounts take turns, and a job leaves the queue if nobody waits
 * for it any more. So an account's jobs, however many and slow, cost another's the time of one.
 *
 * A job's time is processor time. On a machine that has none to spare it has longer, within a bound. The
 * worker starts with the first job and does not keep the process alive while it is idle.
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
  /** The worker was terminated because of this job, or went down. */
  | { readonly kind: "stopped" }
  /**
   * Too many jobs wait, the queue is closed, no worker starts, the machine has no time for the job, or
   * nobody waits for it.
   */
  | { readonly kind: "busy" };

/** Who asks for a job. */
export interface Caller {
  /** Jobs of one account wait for each other. */
  readonly accountId: string;
  /** Aborted when the caller has gone away: a job that has not begun is then left undone. */
  readonly signal: AbortSignal;
}

export interface WorkerQueueOptions {
  readonly workerUrl: URL;
  /**
   * Processor time that was spent so far, in milliseconds. @default that of the whole process: a worker
   * that spins can't be asked for its own, and has had no more than all threads together
   */
  readonly processorMs?: (() => number) | undefined;
}

export interface RunOptions {
  /** Processor time from when the worker has the job, in milliseconds. */
  readonly timeMs: number;
  readonly caller: Caller;
}

/** Jobs that wait for a worker; an account's are at most as many as it leaves free. */
export const JOBS_WAITING_MAX = 256;
/** A job may last so many times as long on a machine that has no processor for it. */
const JOB_LATENESS_MAX = 3;
/** Time for a worker to load, in milliseconds. Usual is 60; a machine under load is slow. */
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

  /** Jobs that wait for the worker. */
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

  /** Ends the worker. Jobs that wait are answered with `busy`. */
  close(): void {
    this.#isClosed = true;
    this.#endWorker();
    this.#refuseWaiting();
  }

  #refuseWaiting(): void {
    for (const entry of this.#waiting.drain()) entry.settle(BUSY);
  }

  /** One job after the other, until none waits. */
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
      // Processor time that the job did not get is given to it once more.
      const missingMs = timeMs - (this.#processorMs() - startedProcessorMs);
      const leftMs = timeMs * JOB_LATENESS_MAX - (performance.now() - startedMs);
      waitMs = Math.min(missingMs, leftMs);
      if (waitMs > 0) continue;
      this.#endWorker();
      // A job that did not get its processor time says nothing of the schema.
      return settle(missingMs > 0 ? BUSY : { kind: "stopped" });
    }
  }

  /** Undefined if no worker starts. */
  async #startWorker(): Promise<Worker | undefined> {
    // No environment: a provider's schema has no business with the gateway's secrets.
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

  /** What the worker says next; undefined if it goes down or is ended. */
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
