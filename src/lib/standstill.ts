/**
 * Detects whether this process stood still: stopped by a signal, or on a machine that swaps or is overloaded. When it
 * resumes, it continues with calls whose clients disconnected long ago, which it has not noticed yet.
 *
 * @module
 */

/** How often the check runs. */
const BEAT_MS = 100;
/** Longer than a busy event loop takes for a turn. */
const STILL_MS = 500;
/** The time after which closed connections are known. */
const SETTLED_MS = 100;

let beatMs = Number.POSITIVE_INFINITY;
let wokeMs = Number.NEGATIVE_INFINITY;

/** Starts the check for the whole process. A second call has no effect. */
export function watchStandstill(): void {
  if (beatMs !== Number.POSITIVE_INFINITY) return;
  beatMs = performance.now();
  const beat = setInterval(() => {
    const nowMs = performance.now();
    if (nowMs - beatMs > STILL_MS) wokeMs = nowMs;
    beatMs = nowMs;
  }, BEAT_MS);
  beat.unref();
}

/**
 * Whether a call's client has disconnected. After a standstill, waits until that is known. Otherwise answers
 * immediately.
 */
export async function hasGone(signal: AbortSignal): Promise<boolean> {
  const nowMs = performance.now();
  // Code that runs before the first beat after a standstill sees the old time.
  if (nowMs - beatMs > STILL_MS || nowMs - wokeMs < SETTLED_MS) await Bun.sleep(SETTLED_MS);
  return signal.aborted;
}
