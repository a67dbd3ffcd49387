import { describe, expect, test } from "bun:test";
import { rateHeaders, rateLimited } from "../../src/http/rate_headers.ts";

const NOW_MS = 1_000_500;

describe("RateLimit", () => {
  const t = (resetSeconds: number) =>
    rateHeaders({ limit: 10, remaining: 3, resetSeconds }, NOW_MS).RateLimit;

  test("tells the seconds to the reset: none where it has passed, and a window's at most", () => {
    expect([t(999), t(1_000), t(1_030), t(1_061)]).toEqual(
      [0, 0, 30, 60].map((seconds) => `"default";r=3;t=${seconds}`),
    );
  });

  test("of a 429 tells no moment behind Retry-After", () => {
    const headersOf = (resetSeconds: number) =>
      rateLimited(
        { window: { limit: 10, remaining: 0, resetSeconds }, retryAfterMs: 57_900 },
        NOW_MS,
      ).options.headers;
    expect(headersOf(1_059)).toMatchObject({
      "Retry-After": "58",
      RateLimit: '"default";r=0;t=58',
    });
    expect(headersOf(1_010)).toMatchObject({
      "Retry-After": "58",
      RateLimit: '"default";r=0;t=10',
    });
  });
});
