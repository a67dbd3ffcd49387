/**
 * The state of a window as headers: `X-RateLimit-*`, and the IETF fields `RateLimit-Policy` and `RateLimit`
 * (draft-ietf-httpapi-ratelimit-headers).
 *
 * @module
 */
import type { WindowState } from "../../admission/claims.ts";
import { CACHE_PRIVATE } from "../../http/answer.ts";
import { PROBLEM_TYPE, Problem } from "../../http/problem_details.ts";
import { BoundedMap } from "../../lib/bounded_map.ts";
import { MS_PER_SECOND } from "../../lib/time_units.ts";
import { WINDOW_MS } from "../../limits.ts";

const WINDOW_SECONDS = WINDOW_MS / MS_PER_SECOND;
/** By their complete content. */
const knownLimited = new BoundedMap<string, Headers>(1_000);

export function rateHeaders(window: WindowState, nowMs: number): Record<string, string> {
  return { ...limitHeaders(window), ...stateHeaders(window, nowMs) };
}

/** Headers that depend only on the limit. */
export function limitHeaders(
  { limit }: Pick<WindowState, "limit">,
  windowSeconds = WINDOW_SECONDS,
): Record<string, string> {
  return {
    "X-RateLimit-Limit": String(limit),
    "RateLimit-Policy": `"default";q=${limit};w=${windowSeconds}`,
  };
}

/** Headers of one answer. Rounding may add a second to the reset, so it is capped at `resetInSecondsMax`. */
export function stateHeaders(
  { remaining, resetSeconds }: WindowState,
  nowMs: number,
  { resetInSecondsMax = WINDOW_SECONDS } = {},
): Record<string, string> {
  const inSeconds = resetInSeconds({ resetSeconds }, nowMs, resetInSecondsMax);
  return {
    "X-RateLimit-Remaining": String(remaining),
    "X-RateLimit-Reset": String(resetSeconds),
    RateLimit: `"default";r=${remaining};t=${inSeconds}`,
  };
}

/** Seconds until the oldest counted call leaves the window. Rounding never exceeds the window's length. */
export function resetInSeconds(
  { resetSeconds }: Pick<WindowState, "resetSeconds">,
  nowMs: number,
  secondsMax = WINDOW_SECONDS,
): number {
  const secondsLeft = resetSeconds - Math.floor(nowMs / MS_PER_SECOND);
  return Math.min(Math.max(0, secondsLeft), secondsMax);
}

/** 429, with all headers and members that say when to retry. */
export function rateLimited(
  limited: { readonly window: WindowState; readonly retryAfterMs: number },
  nowMs: number,
  { of = "calls" } = {},
): Problem {
  const { window, retryAfterMs } = limited;
  return new Problem("RATE_LIMITED", {
    detail: `The limit is ${window.limit} ${of} per minute. Wait ${Math.ceil(retryAfterMs / MS_PER_SECOND)} s, then back off exponentially.`,
    extras: { retry_after_ms: retryAfterMs },
    sharedHeaders: limitedHeaders(limited, nowMs),
  });
}

/**
 * A client that does not back off gets hundreds of 429s a second. Identical ones share their headers, which saves 2 µs
 * of 24.
 */
function limitedHeaders(
  { window, retryAfterMs }: { readonly window: WindowState; readonly retryAfterMs: number },
  nowMs: number,
): Headers {
  const { limit, resetSeconds } = window;
  const retryAfterSeconds = Math.ceil(retryAfterMs / MS_PER_SECOND);
  const nowSeconds = Math.floor(nowMs / MS_PER_SECOND);
  const key = `${limit} ${resetSeconds} ${nowSeconds} ${retryAfterSeconds}`;
  const known = knownLimited.get(key);
  if (known !== undefined) return known;
  const headers = new Headers({
    "Content-Type": PROBLEM_TYPE,
    "Cache-Control": CACHE_PRIVATE,
    ...limitHeaders(window),
    // There is room when the oldest call leaves the window, or later.
    ...stateHeaders({ limit, remaining: 0, resetSeconds }, nowMs, {
      resetInSecondsMax: retryAfterSeconds,
    }),
    "Retry-After": String(retryAfterSeconds),
  });
  knownLimited.set(key, headers);
  return headers;
}

/** 429 for an hourly limit. Several apply, and naming the one that was reached could reveal other callers' activity. */
export function rateLimitedHourly(retryAfterMs: number, of: string): Problem {
  const seconds = Math.ceil(retryAfterMs / MS_PER_SECOND);
  return new Problem("RATE_LIMITED", {
    detail: `Too many ${of} were requested within an hour. Try again in ${Math.ceil(seconds / 60)} minutes.`,
    extras: { retry_after_ms: retryAfterMs },
    headers: { "Retry-After": String(seconds) },
  });
}

/** 429 for a limit that is not a window, and has room after `retryAfterMs`. */
export function rateLimitedFor(
  retryAfterMs: number,
  { limit, of }: { readonly limit: number; readonly of: string },
): Problem {
  const nowMs = Date.now();
  const resetSeconds = Math.ceil((nowMs + retryAfterMs) / MS_PER_SECOND);
  return rateLimited({ window: { limit, remaining: 0, resetSeconds }, retryAfterMs }, nowMs, {
    of,
  });
}
