/**
 * A rate limit for all calls without a key together, per process: there is nobody else to count them by.
 *
 * @module
 */
import { Elysia } from "elysia";
import { callPlugin } from "../http/call.ts";
import { TokenBucket } from "../lib/token_bucket.ts";
import { WINDOW_MS } from "../limits.ts";
import { exactQuery, linkedQuery } from "./parameters.ts";
import { rateLimitedFor } from "./rate_headers.ts";

/** Counts a call. @throws {Problem} 429 if it is over the limit */
type AnonymousLimit = () => void;

/** `limit` calls a minute. */
export function createAnonymousLimit(limit: number): AnonymousLimit {
  const bucket = new TokenBucket({ capacity: limit, fillMs: WINDOW_MS });
  return () => {
    const retryAfterMs = bucket.take();
    if (retryAfterMs > 0) throw rateLimitedFor(retryAfterMs, { limit, of: "calls without a key" });
  };
}

/** For pages, which need no key and answer from memory. */
export function keyless() {
  return new Elysia({ name: "keyless" }).use(callPlugin()).use(linkedQuery()).as("scoped");
}

/** For routes that need no key. They share the limit. */
export function anonymous(limit: AnonymousLimit) {
  return new Elysia({ name: "anonymous" })
    .use(callPlugin())
    .onTransform((): void => limit())
    .use(exactQuery())
    .as("scoped");
}
