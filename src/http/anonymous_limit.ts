/**
 * One rate limit for all calls without a key, per process: there is nobody else to count them by.
 *
 * @module
 */

import { MS_PER_SECOND } from "../lib/time_units.ts";
import { TokenBucket } from "../lib/token_bucket.ts";
import { ANONYMOUS_LIMIT, WINDOW_MS } from "../limits.ts";
import type { Handler } from "./endpoint.ts";
import { rateLimited } from "./rate_headers.ts";

/** Makes handlers that share one limit; a call over it is 429. */
export function createAnonymousLimit(): (handler: Handler) => Handler {
  const bucket = new TokenBucket({ capacity: ANONYMOUS_LIMIT, fillMs: WINDOW_MS });
  return (handler) => (call, parameter) => {
    const retryAfterMs = bucket.take();
    if (retryAfterMs === 0) return handler(call, parameter);
    const nowMs = Date.now();
    const resetSeconds = Math.ceil((nowMs + retryAfterMs) / MS_PER_SECOND);
    const window = { limit: ANONYMOUS_LIMIT, remaining: 0, resetSeconds };
    return rateLimited({ window, retryAfterMs }, nowMs, { of: "calls without a key" });
  };
}
