import { expect, test } from "bun:test";
import { TokenBucket } from "../../src/lib/token_bucket.ts";

test("TokenBucket gives what it holds, then one token at a time as it fills", () => {
  let nowMs = 0;
  const bucket = new TokenBucket({ capacity: 3, fillMs: 300, now: () => nowMs });
  expect([bucket.take(), bucket.take(), bucket.take(), bucket.take()]).toEqual([0, 0, 0, 100]);
  nowMs = 60;
  expect(bucket.take()).toBe(40);
  nowMs = 100;
  expect([bucket.take(), bucket.take()]).toEqual([0, 100]);
  // However long it rests, it holds no more.
  nowMs = 100_000;
  expect([bucket.take(), bucket.take(), bucket.take(), bucket.take()]).toEqual([0, 0, 0, 100]);
});
