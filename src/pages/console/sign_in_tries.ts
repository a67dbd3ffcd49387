/**
 * Counts sign-ins that fail by network, so that nobody can try keys: an IPv4 address, or the /64 of an IPv6 one. Beyond 5.
 *
 * @module
 */
import { rateLimitedFor } from "../../api/callers/rate_headers.ts";
import { BoundedMap } from "../../lib/bounded_map.ts";
import { networkOf } from "../../lib/public_address.ts";
import { SIGN_IN_ADDRESSES_MAX, SIGN_IN_TRIES, WINDOW_MS } from "../../limits.ts";

export class SignInTries {
  /** Of each network, when its failed tries of the last minute were, the oldest first. */
  readonly #failedMs = new BoundedMap<string, readonly number[]>(SIGN_IN_ADDRESSES_MAX);

  /**
   * Begins a try, which counts as failed until it is forgiven, so that tries at once count, too. Returns what forgives
   * it. @throws {Problem} 429 if the address has failed too often within a minute
   */
  begin(address: string, nowMs = performance.now()): () => void {
    const network = networkOf(address);
    const failed = (this.#failedMs.get(network) ?? []).filter(
      (thenMs) => thenMs > nowMs - WINDOW_MS,
    );
    const [oldest] = failed;
    if (oldest !== undefined && failed.length >= SIGN_IN_TRIES) {
      const retryAfterMs = Math.ceil(oldest + WINDOW_MS - nowMs);
      throw rateLimitedFor(retryAfterMs, { limit: SIGN_IN_TRIES, of: "failed sign-ins" });
    }
    this.#failedMs.set(network, [...failed, nowMs]);
    return () => {
      const others = this.#failedMs.get(network) ?? [];
      const place = others.indexOf(nowMs);
      if (place >= 0) this.#failedMs.set(network, others.toSpliced(place, 1));
    };
  }
}
