/**
 * A throttle: admits a number of callers per second, and queues the rest.
 *
 * It is for calls that are cheap but may arrive in floods. However many there are, they use at most their share of the
 * process's time. If the queue becomes very long, it moves faster.
 *
 * A token bucket (`token_bucket.ts`) refuses a caller, whereas a throttle makes it wait.
 *
 * @module
 */
import { assert } from "./assert.ts";
import { BoundedMap } from "./bounded_map.ts";
import { MS_PER_SECOND } from "./time_units.ts";

export interface ThrottleOptions {
  readonly perSecond: number;
  /** Callers that are admitted immediately after a quiet time. */
  readonly burstMax: number;
  /** If the queue would take longer than this many seconds, it moves faster. */
  readonly waitSecondsMax: number;
  /** The most callers in the queue. If it is full, a new caller is admitted immediately. */
  readonly waitingMax: number;
}

export interface Throttle {
  /** Undefined if the caller may proceed immediately. Otherwise a promise that resolves when it may. */
  pass(): Promise<void> | undefined;
  readonly waiting: number;
  /** How long a caller that arrives now will wait. */
  readonly waitSeconds: number;
}

const TICK_MS = 5;

export function createThrottle(options: ThrottleOptions): Throttle {
  const { perSecond, burstMax, waitSecondsMax, waitingMax } = options;
  assert(perSecond > 0 && burstMax > 0, "a throttle lets somebody pass");
  // A set keeps the order of insertion.
  const queue = new Set<() => void>();
  let tokens = burstMax;
  let countedMs = performance.now();

  const rate = () => Math.max(perSecond, queue.size / waitSecondsMax);

  /** Adds the tokens for the time since the last count. */
  function refill(): void {
    const nowMs = performance.now();
    tokens = Math.min(burstMax, tokens + ((nowMs - countedMs) * rate()) / MS_PER_SECOND);
    countedMs = nowMs;
  }

  function letPass(): void {
    refill();
    for (const resolve of queue) {
      if (tokens < 1) break;
      tokens -= 1;
      queue.delete(resolve);
      resolve();
    }
    if (queue.size > 0) setTimeout(letPass, TICK_MS);
  }

  return {
    pass() {
      refill();
      if (queue.size >= waitingMax) return undefined;
      if (queue.size === 0 && tokens >= 1) {
        tokens -= 1;
        return undefined;
      }
      if (queue.size === 0) setTimeout(letPass, TICK_MS);
      return new Promise((resolve) => queue.add(resolve));
    },
    get waiting() {
      return queue.size;
    },
    get waitSeconds() {
      return queue.size / rate();
    },
  };
}

/** A throttle per key. At most `keysMax` keys are remembered, and a forgotten one starts again. */
export function createThrottles(
  options: ThrottleOptions,
  keysMax: number,
): (key: string) => Throttle {
  const throttles = new BoundedMap<string, Throttle>(keysMax);
  return (key) => {
    const known = throttles.get(key);
    if (known !== undefined) return known;
    const made = createThrottle(options);
    throttles.set(key, made);
    return made;
  };
}
