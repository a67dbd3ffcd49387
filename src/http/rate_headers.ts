/**
 * The state of a window as headers: `X-RateLimit-*` (interface 8.1) and, beside them, the IETF fields
 * `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers).
 *
 * @module
 */
import { MS_PER_SECOND } from "../lib/time_units.ts";
import { WINDOW_MS } from "../limits.ts";
import { Problem } from "./errors.ts";

/** State of the window after a decision. */
export interface WindowState {
  /** Calls in a window. */
  readonly limit: number;
  readonly remaining: number;
  /** Unix epoch seconds, rounded up, at which the oldest counted call leaves the window. */
  readonly resetSeconds: number;
}

const WINDOW_SECONDS = WINDOW_MS / MS_PER_SECOND;

export function rateHeaders(window: WindowState, nowMs: number): Record<string, string> {
  return addRateHeaders({}, window, nowMs);
}

/** Adds them to an answer's own, which costs less than to copy them there. */
export function addRateHeaders(
  headers: Record<string, string>,
  { limit, remaining, resetSeconds }: WindowState,
  nowMs: number,
): Record<string, string> {
  headers["X-RateLimit-Limit"] = String(limit);
  headers["X-RateLimit-Remaining"] = String(remaining);
  headers["X-RateLimit-Reset"] = String(resetSeconds);
  headers["RateLimit-Policy"] = `"default";q=${limit};w=${WINDOW_SECONDS}`;
  const resetInSeconds = secondsUntil(resetSeconds, Math.floor(nowMs / MS_PER_SECOND));
  headers.RateLimit = `"default";r=${remaining};t=${resetInSeconds}`;
  return headers;
}

/** Between two rounded moments there may be a second too many: of `secondsMax` at most. */
function secondsUntil(
  epochSeconds: number,
  nowSeconds: number,
  secondsMax = WINDOW_SECONDS,
): number {
  return Math.min(Math.max(0, epochSeconds - nowSeconds), secondsMax);
}

/** Headers of the last refusal from a window: who doesn't back off sends hundreds in a second. */
const lastRefusals = new WeakMap<
  WindowState,
  { readonly nowSeconds: number; readonly retryAfterSeconds: number; readonly headers: Headers }
>();

/** 429 with everything that tells a client when to come back. */
export function rateLimited(
  limited: { readonly window: WindowState; readonly retryAfterMs: number },
  nowMs: number,
  { of = "calls" } = {},
): Problem {
  const { window, retryAfterMs } = limited;
  return new Problem("RATE_LIMITED", {
    detail: `At most ${window.limit} ${of} a minute are served here; wait ${retryAfterMs} ms, then back off exponentially.`,
    extras: { retry_after_ms: retryAfterMs },
    sharedHeaders: refusalHeaders(window, {
      nowSeconds: Math.floor(nowMs / MS_PER_SECOND),
      retryAfterSeconds: Math.ceil(retryAfterMs / MS_PER_SECOND),
    }),
  });
}

function refusalHeaders(
  window: WindowState,
  at: { readonly nowSeconds: number; readonly retryAfterSeconds: number },
): Headers {
  const { nowSeconds, retryAfterSeconds } = at;
  const last = lastRefusals.get(window);
  if (last?.nowSeconds === nowSeconds && last.retryAfterSeconds === retryAfterSeconds) {
    return last.headers;
  }
  const headers = rateHeaders({ ...window, remaining: 0 }, nowSeconds * MS_PER_SECOND);
  headers["Retry-After"] = String(retryAfterSeconds);
  // Room is made when the oldest call leaves, or later.
  const resetInSeconds = secondsUntil(window.resetSeconds, nowSeconds, retryAfterSeconds);
  headers.RateLimit = `"default";r=0;t=${resetInSeconds}`;
  const made = { nowSeconds, retryAfterSeconds, headers: new Headers(headers) };
  lastRefusals.set(window, made);
  return made.headers;
}
