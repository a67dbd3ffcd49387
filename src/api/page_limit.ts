/**
 * A rate limit for pages that have to be made for people without a key. It is not that of the API's calls without a key,
 * so a crawler shuts no agent out, and each network has a share of its own, so it shuts out no other visitor either. A
 * page that is in memory costs next to nothing and is not counted.
 *
 * @module
 */
import { BoundedMap } from "../lib/bounded_map.ts";
import { networkOf } from "../lib/public_address.ts";
import { TokenBucket } from "../lib/token_bucket.ts";
import {
  PAGE_NETWORKS_MAX,
  PAGES_MADE_LIMIT,
  PAGES_MADE_OF_NETWORK_LIMIT,
  WINDOW_MS,
} from "../limits.ts";
import { rateLimitedFor } from "./rate_headers.ts";

/** Counts a page that is made for this address. @throws {Problem} 429 if it is one too many */
export type PageLimit = (address: string) => void;

export function createPageLimit(now = () => performance.now()): PageLimit {
  const bucketOf = (capacity: number) => new TokenBucket({ capacity, fillMs: WINDOW_MS, now });
  const all = bucketOf(PAGES_MADE_LIMIT);
  const networks = new BoundedMap<string, TokenBucket>(PAGE_NETWORKS_MAX);
  return (address) => {
    const network = networkOf(address);
    const own = networks.get(network) ?? bucketOf(PAGES_MADE_OF_NETWORK_LIMIT);
    networks.set(network, own);
    const ownMs = own.take();
    if (ownMs > 0) throw tooMany(ownMs, PAGES_MADE_OF_NETWORK_LIMIT);
    const allMs = all.take();
    if (allMs > 0) throw tooMany(allMs, PAGES_MADE_LIMIT);
  };
}

function tooMany(retryAfterMs: number, limit: number) {
  return rateLimitedFor(retryAfterMs, { limit, of: "pages" });
}
