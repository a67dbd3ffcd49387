/**
 * Lets so many through in a second; the rest wait in line.
 *
 * For what is cheap and comes in floods: however many there are, they take at most their share of the
 * process's time. Only a line that is very long goes faster.
 *
 * @module
 */
import { assert } from "./assert.ts";
import { BoundedMap } from "./bounded_map.ts";
import { MS_PER_SECOND } from "./time_units.ts";

export interface PaceOptions {
  readonly perSecond: number;
  /** Those that go through at once after a quiet while. */
  readonly atOnceMax: number;
  /** A line that would take longer goes faster, in seconds. */
  readonly waitSecondsMax: number;
  /** Those that wait in line; who comes when it is full goes through at once. */
  readonly waitingMax: number;
}

export interface Pace {
  /** Undefined where the caller may go on at once; else resolves when it is its turn. */
  turn(): Promise<void> | undefined;
  readonly waiting: number;
  /** How long who comes now will wait. */
  readonly waitSeconds: number;
}

const TICK_MS = 5;

export function createPace(options: PaceOptions): Pace {
  const { perSecond, atOnceMax, waitSecondsMax, waitingMax } = options;
  assert(perSecond > 0 && atOnceMax > 0, "a pace lets something through");
  // A set gives back what was put in first.
  const line = new Set<() => void>();
  let free = atOnceMax;
  let countedMs = performance.now();

  const rate = () => Math.max(perSecond, line.size / waitSecondsMax);

  /** Adds what has become free since it was counted last. */
  function count(): void {
    const nowMs = performance.now();
    free = Math.min(atOnceMax, free + ((nowMs - countedMs) * rate()) / MS_PER_SECOND);
    countedMs = nowMs;
  }

  function passOn(): void {
    count();
    for (const pass of line) {
      if (free < 1) break;
      free -= 1;
      line.delete(pass);
      pass();
    }
    if (line.size > 0) setTimeout(passOn, TICK_MS);
  }

  return {
    turn() {
      count();
      if (line.size >= waitingMax) return undefined;
      if (line.size === 0 && free >= 1) {
        free -= 1;
        return undefined;
      }
      if (line.size === 0) setTimeout(passOn, TICK_MS);
      return new Promise((resolve) => line.add(resolve));
    },
    get waiting() {
      return line.size;
    },
    get waitSeconds() {
      return line.size / rate();
    },
  };
}

/** A pace for each key; at most so many keys are remembered, and a forgotten one begins anew. */
export function createPaces(options: PaceOptions, keysMax: number): (key: string) => Pace {
  const paces = new BoundedMap<string, Pace>(keysMax);
  return (key) => {
    const known = paces.get(key);
    if (known !== undefined) return known;
    const made = createPace(options);
    paces.set(key, made);
    return made;
  };
}
