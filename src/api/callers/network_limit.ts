/**
 * A rate limit for callers without an account, counted by network.
 *
 * Each network has a share, and so has each /48 of IPv6, because one customer may have all of its 65,536 networks.
 * Another tenth of the limit is reserved for networks that have used little of their share. No network can lock out the
 * others, and a few networks together can lock out only those that use a lot.
 *
 * @module
 */
import { BoundedMap } from "../../lib/bounded_map.ts";
import { networksOf } from "../../lib/public_address.ts";
import { TokenBucket } from "../../lib/token_bucket.ts";
import { LIMITED_NETWORKS_MAX, WINDOW_MS } from "../../limits.ts";
import { rateLimitedFor } from "./rate_headers.ts";

/** Counts a call from an address, which is "" for the gateway itself. @throws {Problem} 429 if the limit is exceeded */
export type NetworkLimit = (address: string) => void;

export interface NetworkLimitOptions {
  /** Calls per minute of all networks together. */
  readonly limit: number;
  /** Calls per minute of one network, which may be that of a proxy that isn't trusted. A /48 has twice as many. */
  readonly networkLimit: number;
  /** Plural noun for the counted calls. The refusal contains it. */
  readonly of: string;
  /** Milliseconds of a monotonic clock. @default performance.now */
  readonly now?: () => number;
}

const SPARED_SHARE = 0.1;
/** A network below this part of its share has used little. */
const LITTLE_SHARE = 0.1;

export function createNetworkLimit(options: NetworkLimitOptions): NetworkLimit {
  const { limit, networkLimit, of, now = () => performance.now() } = options;
  const bucketOf = (capacity: number) => new TokenBucket({ capacity, fillMs: WINDOW_MS, now });
  const all = bucketOf(limit);
  const spared = bucketOf(Math.max(1, Math.floor(limit * SPARED_SHARE)));
  const buckets = new BoundedMap<string, TokenBucket>(LIMITED_NETWORKS_MAX);

  function take(bucket: TokenBucket, most: number): void {
    const retryAfterMs = bucket.take();
    if (retryAfterMs > 0) throw rateLimitedFor(retryAfterMs, { limit: most, of });
  }

  return (address) => {
    // The /64 comes before its /48. The gateway itself has no network, so it may use the whole limit.
    const shares = networksOf(address).map((network, place) => {
      const most = networkLimit * (place + 1);
      const bucket = buckets.get(network) ?? bucketOf(most);
      buckets.set(network, bucket);
      return { bucket, most };
    });
    for (const { bucket, most } of shares) take(bucket, most);
    const hasUsedLittle =
      shares.length > 0 &&
      shares.every(({ bucket, most }) => bucket.tokens() >= most * (1 - LITTLE_SHARE) - 1);
    if (hasUsedLittle && all.peek() > 0) take(spared, limit);
    else take(all, limit);
  };
}
