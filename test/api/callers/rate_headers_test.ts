import { describe, expect, test } from "bun:test";
import type { WindowState } from "../../../src/admission/claims.ts";
import { rateHeaders, rateLimited } from "../../../src/api/callers/rate_headers.ts";

const NOW_MS = 1_000_500;

describe("RateLimit", () => {
  const t = (resetSeconds: number) =>
    rateHeaders({ limit: 10, remaining: 3, resetSeconds }, NOW_MS).RateLimit;

  test("shows the seconds to the reset: none where it has passed, and a window's at most", () => {
    expect([t(999), t(1_000), t(1_030), t(1_061)]).toEqual(
      [0, 0, 30, 60].map((seconds) => `"default";r=3;t=${seconds}`),
    );
  });

  test("of a 429 shows no moment behind Retry-After", () => {
    expect(told({ limit: 10, remaining: 0, resetSeconds: 1_059 }, 57_900, NOW_MS)).toEqual([
      "58",
      58,
    ]);
    expect(told({ limit: 10, remaining: 0, resetSeconds: 1_010 }, 57_900, NOW_MS)).toEqual([
      "58",
      10,
    ]);
  });

  test("of one window's 429s is of the moment, whatever was sent before", () => {
    const window = { limit: 10, remaining: 0, resetSeconds: 1_030 };
    expect(told(window, 29_500, 1_000_500)).toEqual(["30", 30]);
    expect(told(window, 29_100, 1_000_900)).toEqual(["30", 30]);
    expect(told(window, 29_000, 1_001_000)).toEqual(["29", 29]);
    expect(told(window, 39_000, 1_001_000)).toEqual(["39", 29]);
  });

  /** `Retry-After` and the seconds of `RateLimit`. */
  function told(window: WindowState, retryAfterMs: number, nowMs: number) {
    const headers = rateLimited({ window, retryAfterMs }, nowMs).options.sharedHeaders;
    const seconds = /^"default";r=0;t=(\d+)$/.exec(headers?.get("RateLimit") ?? "")?.[1];
    return [headers?.get("Retry-After"), Number(seconds)];
  }
});
