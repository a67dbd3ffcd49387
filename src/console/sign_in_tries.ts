/**
 * Counts failed sign-ins by address, so that nobody can try keys. Beyond 5.
 *
 * @module
 */
import { rateLimitedFor } from "../api/rate_headers.ts";
import { BoundedMap } from "../lib/bounded_map.ts";
import { TokenBucket } from "../lib/token_bucket.ts";
import { SIGN_IN_ADDRESSES_MAX, SIGN_IN_TRIES, WINDOW_MS } from "../limits.ts";

export class SignInTries {
  readonly #buckets = new BoundedMap<string, TokenBucket>(SIGN_IN_ADDRESSES_MAX);

  /** @throws {Problem} 429 if the address has failed too often */
  require(address: string): void {
    const retryAfterMs = this.#buckets.get(address)?.peek() ?? 0;
    if (retryAfterMs > 0) {
      throw rateLimitedFor(retryAfterMs, { limit: SIGN_IN_TRIES, of: "failed sign-ins" });
    }
  }

  /** Counts a try that has failed. */
  count(address: string): void {
    const bucket =
      this.#buckets.get(address) ?? new TokenBucket({ capacity: SIGN_IN_TRIES, fillMs: WINDOW_MS });
    this.#buckets.set(address, bucket);
    bucket.take();
  }
}
