/**
 * The state of a window as headers: `X-RateLimit-*` (interface 8.1) and, beside them, the IETF fields
 * `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers).
 *
 * @module
 */
import type { WindowState } from "../lib/window_state.ts";
import { WINDOW_MS } from "../limits.ts";
import { Problem } from "./errors.ts";

const MS_PER_SECOND = 1_000;

export function rateHeaders(window: WindowState, nowMs: number): Record<string, string> {
  const resetInSeconds = Math.max(0, window.resetSeconds - Math.floor(nowMs / MS_PER_SECOND));
  return {
    "X-RateLimit-Limit": String(window.limit),
    "X-RateLimit-Remaining": String(window.remaining),
    "X-RateLimit-Reset": String(window.resetSeconds),
    "RateLimit-Policy": `"default";q=${window.limit};w=${WINDOW_MS / MS_PER_SECOND}`,
    RateLimit: `"default";r=${window.remaining};t=${resetInSeconds}`,
  };
}

/** 429 with everything that tells a client when to come back. */
export function rateLimited(
  limited: { readonly window: WindowState; readonly retryAfterMs: number },
  nowMs: number,
): Problem {
  const { window, retryAfterMs } = limited;
  return new Problem("RATE_LIMITED", {
    detail: `At most ${window.limit} calls a minute are served here; wait ${retryAfterMs} ms, then back off exponentially.`,
    extras: { retry_after_ms: retryAfterMs },
    headers: {
      ...rateHeaders({ ...window, remaining: 0 }, nowMs),
      "Retry-After": String(Math.ceil(retryAfterMs / MS_PER_SECOND)),
    },
  });
}
