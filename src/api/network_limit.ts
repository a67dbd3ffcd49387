/**
 * A rate limit of calls by callers who may be anybody: they have no account, so they are counted by the network that
 * they come from.
 *
 * Each network has a share, and so has each /48 of IPv6, of which one customer has 65,536 networks. A tenth more than
 * the limit is kept for networks that have used little of their share. So no network shuts out the others, and a few
 * that work together shut out only those who use a lot.
 *
 * @module
 */
import { BoundedMap } from "../lib/bounded_map.ts";
import { networksOf } from "../lib/public_address.ts";
import { TokenBucket } from "../lib/token_bucket.ts";
import { LIMITED_NETWORKS_MAX, WINDOW_MS } from "../limits.ts";
import { rateLimitedFor } from "./rate_headers.ts";

/** Counts a call from an address, "" for one of the gateway itself. @throws {Problem} 429 if it is one too many */
export type NetworkLimit = (address: string) => void;

export interface NetworkLimitOptions {
  /** Calls of all networks together in a minute. */
  readonly limit: number;
  /** Calls of one network in a minute, which may be those of a proxy. A /48 has twice as many. */
  readonly networkLimit: number;
  /** What is counted, in the plural. */
  readonly of: string;
  /** Milliseconds of a monotonic clock. @default performance.now */
  readonly now?: () => number;
}

const SPARED_SHARE = 0.1;
/** A network that has used less than this of its share has used little. */
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
    // The narrowest network first, which has all of the limit if the gateway itself calls.
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
