/**
 * The state of a window as headers: `X-RateLimit-*` (interface 8.1) and, beside them, the IETF fields
 * `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers).
 *
 * @module
 */
import type { WindowState } from "../admission/types.ts";
import { BoundedMap } from "../lib/bounded_map.ts";
import { MS_PER_SECOND } from "../lib/time_units.ts";
import { WINDOW_MS } from "../limits.ts";
import { Problem, problemHeaders } from "./errors.ts";

/** By all that they say. */
const knownLimited = new BoundedMap<string, Headers>(1_000);
const WINDOW_SECONDS = WINDOW_MS / MS_PER_SECOND;

export function rateHeaders(window: WindowState, nowMs: number): Record<string, string> {
  return { ...limitHeaders(window), ...stateHeaders(window, nowMs) };
}

/** Headers that depend on the limit alone. */
export function limitHeaders({ limit }: Pick<WindowState, "limit">): Record<string, string> {
  return {
    "X-RateLimit-Limit": String(limit),
    "RateLimit-Policy": `"default";q=${limit};w=${WINDOW_SECONDS}`,
  };
}

/** Headers of one answer. */
export function stateHeaders(
  { remaining, resetSeconds }: WindowState,
  nowMs: number,
): Record<string, string> {
  const resetInSeconds = secondsUntil(resetSeconds, Math.floor(nowMs / MS_PER_SECOND));
  return {
    "X-RateLimit-Remaining": String(remaining),
    "X-RateLimit-Reset": String(resetSeconds),
    RateLimit: stateText(remaining, resetInSeconds),
  };
}

function stateText(remaining: number, resetInSeconds: number): string {
  return `"default";r=${remaining};t=${resetInSeconds}`;
}

/** Seconds between two rounded times. Rounding may add one, so the result is capped at `secondsMax`. */
function secondsUntil(
  epochSeconds: number,
  nowSeconds: number,
  secondsMax = WINDOW_SECONDS,
): number {
  return Math.min(Math.max(0, epochSeconds - nowSeconds), secondsMax);
}

/** 429 with everything that tells a client when to come back. */
export function rateLimited(
  limited: { readonly window: WindowState; readonly retryAfterMs: number },
  nowMs: number,
  { of = "calls" } = {},
): Problem {
  const { window, retryAfterMs } = limited;
  const retryAfterSeconds = Math.ceil(retryAfterMs / MS_PER_SECOND);
  return new Problem("RATE_LIMITED", {
    detail: `At most ${window.limit} ${of} a minute are served here. Wait ${retryAfterMs} ms, then back off exponentially.`,
    extras: { retry_after_ms: retryAfterMs },
    sharedHeaders: limitedHeaders({ ...window, remaining: 0 }, { nowMs, retryAfterSeconds }),
  });
}

/** A client that does not back off gets hundreds of 429s a second: those that say the same share their headers. */
function limitedHeaders(
  window: WindowState,
  { nowMs, retryAfterSeconds }: { readonly nowMs: number; readonly retryAfterSeconds: number },
): Headers {
  const { limit, resetSeconds } = window;
  const nowSeconds = Math.floor(nowMs / MS_PER_SECOND);
  const resetInSeconds = secondsUntil(resetSeconds, nowSeconds, retryAfterSeconds);
  const key = `${limit} ${resetSeconds} ${resetInSeconds} ${retryAfterSeconds}`;
  let headers = knownLimited.get(key);
  if (headers === undefined) {
    headers = new Headers({
      // Only a client with a key is limited here.
      ...problemHeaders(true),
      ...rateHeaders(window, nowMs),
      "Retry-After": String(retryAfterSeconds),
      // There is room when the oldest call leaves the window, or later.
      RateLimit: stateText(0, resetInSeconds),
    });
    knownLimited.set(key, headers);
  }
  return headers;
}
