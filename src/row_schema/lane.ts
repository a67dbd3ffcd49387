/**
 * A queue in front of one worker, which is replaced when a job outlasts its time or brings it down.
 *
 * One job is with the worker at a time, so the time measured is that job's own, and those that wait
 * lose nothing when the worker is terminated: they run on the next one. Accounts take turns, and a job
 * that nobody waits for any more leaves the queue: so an account's jobs, however many and slow, cost
 * another's the time of one. The worker starts with the first job and does not keep the process alive
 * while it is idle.
 *
 * A job's time is the processor's: on a machine that has none to spare it has longer, within a bound.
 *
 * @module
 */
import { US_PER_MS } from "../lib/time_units.ts";
import { TurnQueue } from "../lib/turn_queue.ts";
import type { FromWorker, Job, JobOutcome } from "./jobs.ts";
import { ATTEMPTS_MAX, JOB_LATENESS_MAX, START_MS, WAITING_MAX } from "./limits.ts";

export type LaneOutcome =
  | {
      readonly kind: "done";
      readonly outcome: JobOutcome;
      /** What the job took the worker's thread, in milliseconds. */
      readonly processorMs: number;
    }
  /** The worker was terminated because of this job. */
  | { readonly kind: "timed_out" }
  /** The worker went down each time it ran this job. */
  | { readonly kind: "crashed" }
  /**
   * Too many wait, the lane is closed, no worker starts, the machine has no time for the job, or nobody
   * waits for it.
   */
  | { readonly kind: "busy" };

/** Who asks for a job. */
export interface Caller {
  /** Jobs of one account wait for each other. */
  readonly accountId: string;
  /** Aborted where the caller has gone away: a job that has not begun is then left undone. */
  readonly signal: AbortSignal;
}

export interface LaneOptions {
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

interface Entry {
  readonly job: Job;
  readonly accountId: string;
  readonly timeMs: number;
  readonly settle: (outcome: LaneOutcome) => void;
  /** Whether its caller has gone away. */
  readonly isAbandoned: () => boolean;
  attempts: number;
}

/** The entry that is with the worker, and the two clocks when it came there. */
interface Current {
  readonly entry: Entry;
  readonly startedMs: number;
  readonly startedProcessorMs: number;
}

const BUSY: LaneOutcome = { kind: "busy" };

export class Lane {
  readonly #workerUrl: URL;
  readonly #processorMs: () => number;
  readonly #waiting = new TurnQueue<Entry>(WAITING_MAX);
  #current: Current | undefined;
  #worker: Worker | undefined;
  #isReady = false;
  #isClosed = false;
  #failedStarts = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor({ workerUrl, processorMs = processMs }: LaneOptions) {
    this.#workerUrl = workerUrl;
    this.#processorMs = processorMs;
  }

  /** Jobs that wait for the worker. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Runs the job when it is its account's turn. */
  run(job: Job, { timeMs, caller }: RunOptions): Promise<LaneOutcome> {
    const { accountId, signal } = caller;
    if (this.#isClosed || signal.aborted) return Promise.resolve(BUSY);
    return new Promise((resolve) => {
      const settle = (outcome: LaneOutcome) => {
        signal.removeEventListener("abort", leave);
        resolve(outcome);
      };
      const isAbandoned = () => signal.aborted;
      const entry: Entry = { job, accountId, timeMs, settle, isAbandoned, attempts: 0 };
      const leave = () => {
        if (this.#waiting.remove(accountId, entry)) settle(BUSY);
      };
      signal.addEventListener("abort", leave);
      this.#enqueue(entry);
      this.#advance();
    });
  }

  /** Ends the worker; jobs that wait are told `busy`. */
  close(): void {
    this.#isClosed = true;
    this.#endWorker();
    this.#settleCurrent(BUSY);
    this.#refuseWaiting();
  }

  #enqueue(entry: Entry): void {
    if (!this.#waiting.add(entry.accountId, entry)) entry.settle(BUSY);
  }

  #advance(): void {
    if (this.#current !== undefined || this.#waiting.size === 0) return;
    if (this.#worker === undefined) this.#startWorker();
    if (!this.#isReady) return;
    const entry = this.#waiting.take();
    if (entry === undefined) return;
    this.#current = {
      entry,
      startedMs: performance.now(),
      startedProcessorMs: this.#processorMs(),
    };
    this.#worker?.ref();
    this.#arm(entry.timeMs, () => this.#onTimeout());
    this.#worker?.postMessage(entry.job);
  }

  #startWorker(): void {
    // No environment: a provider's schema has no business with the gateway's secrets.
    const worker = new Worker(this.#workerUrl, { env: {}, name: "row_schema" });
    this.#worker = worker;
    const onlyWhileCurrent =
      <Value>(handle: (value: Value) => void) =>
      (value: Value) => {
        if (this.#worker === worker) handle(value);
      };
    worker.onmessage = onlyWhileCurrent(({ data }: MessageEvent<FromWorker>) => this.#on(data));
    worker.onerror = onlyWhileCurrent((event: ErrorEvent) => {
      event.preventDefault();
      this.#onCrash();
    });
    worker.addEventListener(
      "close",
      onlyWhileCurrent(() => this.#onCrash()),
    );
    this.#arm(START_MS, () => this.#onCrash());
  }

  #on(message: FromWorker): void {
    clearTimeout(this.#timer);
    if (message.kind === "ready") {
      this.#isReady = true;
      this.#failedStarts = 0;
    } else {
      this.#settleCurrent(message);
    }
    this.#advance();
    if (this.#current === undefined) this.#worker?.unref();
  }

  /** The job's time is over; what of it the machine had no processor for is given once more. */
  #onTimeout(): void {
    if (this.#current === undefined) return;
    const { entry, startedMs, startedProcessorMs } = this.#current;
    const missingMs = entry.timeMs - (this.#processorMs() - startedProcessorMs);
    const leftMs = entry.timeMs * JOB_LATENESS_MAX - (performance.now() - startedMs);
    if (missingMs > 0 && leftMs > 0) {
      this.#arm(Math.min(missingMs, leftMs), () => this.#onTimeout());
      return;
    }
    this.#endWorker();
    // A check that did not get its processor time says nothing of the schema.
    this.#settleCurrent(missingMs > 0 ? BUSY : { kind: "timed_out" });
    this.#advance();
  }

  #onCrash(): void {
    const hadStarted = this.#isReady;
    this.#endWorker();
    if (!hadStarted) this.#failedStarts += 1;
    const entry = this.#current?.entry;
    this.#current = undefined;
    if (entry !== undefined) this.#retryOrGiveUp(entry);
    if (this.#failedStarts >= ATTEMPTS_MAX) this.#refuseWaiting();
    this.#advance();
  }

  /** Another attempt is another turn: those who wait are not to pay for both. */
  #retryOrGiveUp(entry: Entry): void {
    entry.attempts += 1;
    if (entry.isAbandoned()) entry.settle(BUSY);
    else if (entry.attempts < ATTEMPTS_MAX) this.#enqueue(entry);
    else entry.settle({ kind: "crashed" });
  }

  #refuseWaiting(): void {
    this.#failedStarts = 0;
    for (const entry of this.#waiting.drain()) entry.settle(BUSY);
  }

  #settleCurrent(outcome: LaneOutcome): void {
    const entry = this.#current?.entry;
    this.#current = undefined;
    entry?.settle(outcome);
  }

  #endWorker(): void {
    clearTimeout(this.#timer);
    const worker = this.#worker;
    this.#worker = undefined;
    this.#isReady = false;
    worker?.terminate();
  }

  #arm(ms: number, onEnd: () => void): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(onEnd, ms);
  }
}

function processMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / US_PER_MS;
}
