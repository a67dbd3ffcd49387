/**
 * A token bucket in memory.
 *
 * @module
 */
import { assert } from "./assert.ts";

export interface TokenBucketOptions {
  /** Tokens in a full bucket, which is the largest burst. */
  readonly capacity: number;
  /** How long an empty bucket takes to fill, in milliseconds. */
  readonly fillMs: number;
  /** Milliseconds of a monotonic clock. @default performance.now */
  readonly now?: () => number;
}

export class TokenBucket {
  readonly #options: Required<TokenBucketOptions>;
  #tokens: number;
  #countedMs: number;

  constructor({ capacity, fillMs, now = () => performance.now() }: TokenBucketOptions) {
    assert(capacity >= 1 && fillMs > 0, "a bucket holds a token and fills");
    this.#options = { capacity, fillMs, now };
    this.#tokens = capacity;
    this.#countedMs = now();
  }

  /** Takes a token and returns 0. If there is none, returns the milliseconds until there is one. */
  take(): number {
    const waitMs = this.peek();
    if (waitMs === 0) this.#tokens -= 1;
    return waitMs;
  }

  /** 0 if there is a token, else the milliseconds until there is one. */
  peek(): number {
    const { capacity, fillMs } = this.#options;
    const tokens = this.tokens();
    return tokens < 1 ? Math.ceil(((1 - tokens) * fillMs) / capacity) : 0;
  }

  /** The current number of tokens, with a fraction. */
  tokens(): number {
    const { capacity, fillMs, now } = this.#options;
    const nowMs = now();
    const gained = ((nowMs - this.#countedMs) * capacity) / fillMs;
    this.#tokens = Math.min(capacity, this.#tokens + gained);
    this.#countedMs = nowMs;
    return this.#tokens;
  }
}
