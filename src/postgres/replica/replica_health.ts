/**
 * Decides whether to use a replica: a circuit breaker that closes by itself.
 *
 * A replica rests if it fails, or if its answers are stale several times in a row. No reads go to a resting replica. A
 * probe in the background detects when it follows its primary again. Each rest is twice as long as the previous one, up
 * to a limit, until the replica gives a useful answer. So no request waits for a replica that is known to be bad.
 *
 * @module
 */
import type { Log } from "../../lib/log.ts";

const REST_MS_MIN = 100;
const REST_MS_MAX = 3_000;
/** Between two probes of a replica that is up. A standby that has lost its primary continues to answer. */
const PROBE_PAUSE_MS = 1_000;
/** A replica may lag after a recent push. It rests after this many stale answers in a row. */
const BEHIND_MAX = 3;

/** Watches a replica until `stop`. `probe` rejects if the replica must not be used. */
export function createReplicaHealth(probe: () => Promise<void>, log: Log) {
  let isUp = false;
  let isStopped = false;
  let behindCount = 0;
  let restMs = REST_MS_MIN;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function probeIn(ms: number): void {
    clearTimeout(timer);
    if (isStopped) return;
    timer = setTimeout(probeNow, ms);
    timer.unref();
  }

  async function probeNow(): Promise<void> {
    try {
      await probe();
      isUp = true;
      probeIn(PROBE_PAUSE_MS);
    } catch (error) {
      rest(error);
    }
  }

  function rest(reason: unknown): void {
    if (isUp && restMs === REST_MS_MIN && !isStopped) log.warn("replica not used", { reason });
    isUp = false;
    behindCount = 0;
    probeIn(restMs);
    restMs = Math.min(2 * restMs, REST_MS_MAX);
  }

  probeNow();
  return {
    /** Whether the replica may be used. False until the first probe succeeds. */
    get isUp() {
      return isUp;
    },
    noteAnswered() {
      behindCount = 0;
      if (restMs === REST_MS_MIN || !isUp) return;
      restMs = REST_MS_MIN;
      log.info("replica in use again");
    },
    noteBehind() {
      behindCount += 1;
      if (isUp && behindCount >= BEHIND_MAX) rest("it is behind its primary");
    },
    // Of several failures at the same time, the first one opens the breaker.
    noteFailed(error: unknown) {
      if (isUp) rest(error);
    },
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
