/**
 * An exact rate limit for each key, which may be a network or an account: so many calls within any minute.
 *
 * It keeps the time of each call, so it is for small limits. `network_limit.ts` has large ones, which networks share.
 *
 * @module
 */
import { BoundedMap } from "../../lib/bounded_map.ts";
import { WINDOW_MS } from "../../limits.ts";
import { rateLimitedFor } from "./rate_headers.ts";

export interface KeyedLimitOptions {
  /** Calls per minute of one key. */
  readonly limit: number;
  /** Plural noun for the counted calls. The refusal contains it. */
  readonly of: string;
  /** Keys that are counted. The one whose last call is the oldest is evicted first. */
  readonly keysMax: number;
}

export class KeyedLimit {
  readonly #options: KeyedLimitOptions;
  /** Times of the calls in the last minute by key, on a monotonic clock, the oldest first. */
  readonly #calls: BoundedMap<string, readonly number[]>;

  constructor(options: KeyedLimitOptions) {
    this.#options = options;
    this.#calls = new BoundedMap(options.keysMax);
  }

  /** @throws {Problem} 429 if the limit is reached */
  check(key: string, nowMs = performance.now()): void {
    const { limit, of } = this.#options;
    const calls = this.#recent(key, nowMs);
    const [oldestMs] = calls;
    if (oldestMs === undefined || calls.length < limit) return;
    throw rateLimitedFor(Math.ceil(oldestMs + WINDOW_MS - nowMs), { limit, of });
  }

  /** Counts a call, whether or not the limit is reached. */
  note(key: string, nowMs = performance.now()): void {
    this.#calls.set(key, [...this.#recent(key, nowMs), nowMs]);
  }

  /** Checks and counts a call. @throws {Problem} 429 if the limit is reached */
  take(key: string, nowMs = performance.now()): void {
    this.check(key, nowMs);
    this.note(key, nowMs);
  }

  /** Uncounts a call that was counted at `thenMs`. */
  giveBack(key: string, thenMs: number): void {
    const calls = this.#calls.get(key) ?? [];
    const place = calls.indexOf(thenMs);
    if (place >= 0) this.#calls.set(key, calls.toSpliced(place, 1));
  }

  #recent(key: string, nowMs: number): readonly number[] {
    return (this.#calls.get(key) ?? []).filter((thenMs) => thenMs > nowMs - WINDOW_MS);
  }
}
