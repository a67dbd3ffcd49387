/**
 * Whether this process stood still: stopped by a signal, or on a machine that swaps or has no processor for it. When it
 * wakes, it goes on with calls whose clients have gone long ago, and has not noticed that yet.
 *
 * @module
 */

/** How often it is looked whether the process runs. */
const BEAT_MS = 100;
/** Longer than a busy event loop takes for a turn. */
const STILL_MS = 500;
/** After that, connections that have ended are known. */
const SETTLED_MS = 100;

let beatMs = Number.POSITIVE_INFINITY;
let wokeMs = Number.NEGATIVE_INFINITY;

/** Begins to look, for the whole process; the second call does nothing. */
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

/** Whether a call's client has gone. After a standstill, it waits until that is known; else it answers at once. */
export async function hasGone(signal: AbortSignal): Promise<boolean> {
  const nowMs = performance.now();
  // What comes before the first beat after a standstill sees the old one.
  if (nowMs - beatMs > STILL_MS || nowMs - wokeMs < SETTLED_MS) await Bun.sleep(SETTLED_MS);
  return signal.aborted;
}
