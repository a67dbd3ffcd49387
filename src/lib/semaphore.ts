/**
 * A semaphore with a bounded queue: some callers run at once, some more wait, and the rest are refused.
 *
 * A caller may name an owner. Owners that wait take turns, and each has a limit of its own, so an owner with
 * many or slow calls delays itself and not the others.
 *
 * The queue is bounded by time, too. The semaphore knows the mean time of the last calls, so it knows how long a
 * new caller would wait, and refuses it if that is too long. If the calls become slower meanwhile, a caller that
 * has waited too long is refused then.
 *
 * @module
 */
import { assert } from "./assert.ts";

export interface SemaphoreOptions {
  /** Callers that run at once. */
  readonly runningMax: number;
  /** Of them, those of one owner; the owner "" stands for callers that name none. @default no limit */
  readonly ownerRunningMax?: (owner: string) => number;
  /** Callers that wait. One owner may have as many waiting as it leaves places free. */
  readonly waitingMax: number;
  /** A caller that would wait longer is refused, in milliseconds. */
  readonly waitMsMax: number;
  /** So many callers may wait, however long that takes. @default 0 */
  readonly waitingFree?: number;
  /** A caller in the queue is refused after this many times `waitMsMax`. @default 1 */
  readonly latenessMax?: number;
}

export interface Semaphore {
  /** True once the caller may begin; it must call `release` afterwards. False if it may not begin. */
  acquire(owner?: string): Promise<boolean> | boolean;
  /** Ends a call that was let in; `ms` is how long it took. */
  release(ms: number, owner?: string): void;
  readonly running: number;
  readonly waiting: number;
}

interface Queue {
  running: number;
  /** Functions that let a waiting caller in, oldest first. */
  readonly waiters: Set<() => void>;
}

/** Weight of the newest call in the mean time of calls. */
const MEAN_WEIGHT = 1 / 16;

export function createSemaphore(options: SemaphoreOptions): Semaphore {
  const { runningMax, waitingMax, waitMsMax, waitingFree = 0, latenessMax = 1 } = options;
  const { ownerRunningMax = () => Number.POSITIVE_INFINITY } = options;
  assert(runningMax > 0, "a semaphore lets somebody in");
  /** By owner, in the order of their turns. An owner without calls has no queue. */
  const queues = new Map<string, Queue>();
  let running = 0;
  let waiting = 0;
  let meanMs = 0;

  function queueOf(owner: string): Queue {
    let queue = queues.get(owner);
    if (queue === undefined) {
      queue = { running: 0, waiters: new Set() };
      queues.set(owner, queue);
    }
    return queue;
  }

  function mayRun(owner: string, queue: Queue): boolean {
    return running < runningMax && queue.running < ownerRunningMax(owner);
  }

  function mayWait(owner: string, { waiters }: Queue): boolean {
    const free = waitingMax - waiting;
    if (owner === "" ? free < 1 : free < waiters.size + 2) return false;
    return waiting < waitingFree || expectedWaitMs(waiters.size + 1) <= waitMsMax;
  }

  /** How long a caller waits at this place of its owner's queue. */
  function expectedWaitMs(place: number): number {
    let ahead = 1;
    for (const { waiters } of queues.values()) ahead += Math.min(waiters.size, place);
    return (ahead * meanMs) / runningMax;
  }

  function begin(queue: Queue): void {
    queue.running += 1;
    running += 1;
  }

  function wait(owner: string, queue: Queue): Promise<boolean> {
    waiting += 1;
    return new Promise((resolve) => {
      const end = (isLetIn: boolean) => {
        clearTimeout(timer);
        queue.waiters.delete(letIn);
        waiting -= 1;
        if (isLetIn) begin(queue);
        else forgetIdle(owner, queue);
        resolve(isLetIn);
      };
      const letIn = () => end(true);
      const timer = setTimeout(() => end(false), waitMsMax * latenessMax);
      queue.waiters.add(letIn);
    });
  }

  /** Lets in the oldest caller of the next owner that may run. That owner goes to the end. */
  function letNextIn(): void {
    for (const [owner, queue] of queues) {
      if (running >= runningMax) return;
      if (!mayRun(owner, queue)) continue;
      // A set keeps the order of insertion.
      const [letIn] = queue.waiters;
      if (letIn === undefined) continue;
      queues.delete(owner);
      queues.set(owner, queue);
      letIn();
    }
  }

  function forgetIdle(owner: string, queue: Queue): void {
    if (queue.running === 0 && queue.waiters.size === 0) queues.delete(owner);
  }

  return {
    acquire(owner = "") {
      const queue = queueOf(owner);
      if (mayRun(owner, queue)) {
        begin(queue);
        return true;
      }
      if (mayWait(owner, queue)) return wait(owner, queue);
      forgetIdle(owner, queue);
      return false;
    },
    release(ms, owner = "") {
      const queue = queueOf(owner);
      assert(queue.running > 0, "release follows acquire");
      queue.running -= 1;
      running -= 1;
      meanMs += (ms - meanMs) * MEAN_WEIGHT;
      letNextIn();
      forgetIdle(owner, queue);
    },
    get running() {
      return running;
    },
    get waiting() {
      return waiting;
    },
  };
}
