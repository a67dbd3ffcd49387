/**
 * One rate limit for all calls without a key, per process: there is nobody else to count them by.
 *
 * @module
 */
import { Elysia } from "elysia";
import { MS_PER_SECOND } from "../lib/time_units.ts";
import { TokenBucket } from "../lib/token_bucket.ts";
import { ANONYMOUS_LIMIT, WINDOW_MS } from "../limits.ts";
import { callPlugin } from "./call.ts";
import { exactQuery } from "./parameters.ts";
import { rateLimited } from "./rate_headers.ts";

export function createAnonymousLimit(): TokenBucket {
  return new TokenBucket({ capacity: ANONYMOUS_LIMIT, fillMs: WINDOW_MS });
}

/** For routes that need no key. They share the limit, and a call over it gets 429. */
export function anonymous(limit: TokenBucket) {
  return new Elysia({ name: "anonymous" })
    .use(callPlugin())
    .onTransform((): void => {
      const retryAfterMs = limit.take();
      if (retryAfterMs === 0) return;
      const nowMs = Date.now();
      const resetSeconds = Math.ceil((nowMs + retryAfterMs) / MS_PER_SECOND);
      const window = { limit: ANONYMOUS_LIMIT, remaining: 0, resetSeconds };
      throw rateLimited({ window, retryAfterMs }, nowMs, { of: "calls without a key" });
    })
    .use(exactQuery())
    .as("scoped");
}
