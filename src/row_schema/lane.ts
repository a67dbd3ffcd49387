/**
 * A queue in front of one worker, which is replaced when a job outlasts its time or brings it down.
 *
 * One job is with the worker at a time, so the time measured is that job's own, and those that wait
 * lose nothing when the worker is terminated: they run on the next one. The worker starts with the
 * first job and does not keep the process alive while it is idle.
 *
 * @module
 */
import type { FromWorker, Job, JobOutcome } from "./jobs.ts";
import { ATTEMPTS_MAX, START_MS, WAITING_MAX } from "./limits.ts";

export type LaneOutcome =
  | { readonly kind: "done"; readonly outcome: JobOutcome }
  /** The worker was terminated because of this job. */
  | { readonly kind: "timed_out" }
  /** The worker went down each time it ran this job. */
  | { readonly kind: "crashed" }
  /** Too many wait, the lane is closed, or no worker starts. */
  | { readonly kind: "busy" };

interface Entry {
  readonly job: Job;
  readonly timeMs: number;
  readonly settle: (outcome: LaneOutcome) => void;
  attempts: number;
}

export class Lane {
  private readonly waiting: Entry[] = [];
  private current: Entry | undefined;
  private worker: Worker | undefined;
  private isReady = false;
  private isClosed = false;
  private failedStarts = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly workerUrl: URL) {}

  /** Runs the job after those before it; `timeMs` is counted from when the worker has it. */
  run(job: Job, timeMs: number): Promise<LaneOutcome> {
    if (this.isClosed || this.waiting.length >= WAITING_MAX) {
      return Promise.resolve({ kind: "busy" });
    }
    return new Promise((settle) => {
      this.waiting.push({ job, timeMs, settle, attempts: 0 });
      this.advance();
    });
  }

  /** Ends the worker; jobs that wait are told `busy`. */
  close(): void {
    this.isClosed = true;
    this.endWorker();
    this.settleCurrent({ kind: "busy" });
    this.refuseWaiting();
  }

  private advance(): void {
    if (this.current !== undefined || this.waiting.length === 0) return;
    if (this.worker === undefined) this.startWorker();
    if (!this.isReady) return;
    this.current = this.waiting.shift();
    if (this.current === undefined) return;
    this.worker?.ref();
    this.arm(this.current.timeMs, () => this.onTimeout());
    this.worker?.postMessage(this.current.job);
  }

  private startWorker(): void {
    // No environment: a provider's schema has no business with the gateway's secrets.
    const worker = new Worker(this.workerUrl, { env: {}, name: "row_schema" });
    this.worker = worker;
    const onlyWhileCurrent =
      <Value>(handle: (value: Value) => void) =>
      (value: Value) => {
        if (this.worker === worker) handle(value);
      };
    worker.onmessage = onlyWhileCurrent(({ data }: MessageEvent<FromWorker>) => this.on(data));
    worker.onerror = onlyWhileCurrent((event: ErrorEvent) => {
      event.preventDefault();
      this.onCrash();
    });
    worker.addEventListener(
      "close",
      onlyWhileCurrent(() => this.onCrash()),
    );
    this.arm(START_MS, () => this.onCrash());
  }

  private on(message: FromWorker): void {
    clearTimeout(this.timer);
    if (message.kind === "ready") {
      this.isReady = true;
      this.failedStarts = 0;
    } else {
      this.settleCurrent({ kind: "done", outcome: message.outcome });
    }
    this.advance();
    if (this.current === undefined) this.worker?.unref();
  }

  private onTimeout(): void {
    this.endWorker();
    this.settleCurrent({ kind: "timed_out" });
    this.advance();
  }

  private onCrash(): void {
    const hadStarted = this.isReady;
    this.endWorker();
    if (!hadStarted) this.failedStarts += 1;
    const entry = this.current;
    this.current = undefined;
    if (entry !== undefined) this.retryOrGiveUp(entry);
    if (this.failedStarts >= ATTEMPTS_MAX) this.refuseWaiting();
    this.advance();
  }

  private retryOrGiveUp(entry: Entry): void {
    entry.attempts += 1;
    if (entry.attempts < ATTEMPTS_MAX) this.waiting.unshift(entry);
    else entry.settle({ kind: "crashed" });
  }

  private refuseWaiting(): void {
    this.failedStarts = 0;
    for (const entry of this.waiting.splice(0)) entry.settle({ kind: "busy" });
  }

  private settleCurrent(outcome: LaneOutcome): void {
    const entry = this.current;
    this.current = undefined;
    entry?.settle(outcome);
  }

  private endWorker(): void {
    clearTimeout(this.timer);
    const worker = this.worker;
    this.worker = undefined;
    this.isReady = false;
    worker?.terminate();
  }

  private arm(ms: number, onEnd: () => void): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(onEnd, ms);
  }
}
