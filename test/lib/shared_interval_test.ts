import { expect, test } from "bun:test";
import { SharedInterval } from "../../src/lib/shared_interval.ts";

const MS = 200;

test("a SharedInterval calls each function once in an interval, from one interval after it was added", async () => {
  const interval = new SharedInterval(MS);
  const calls = [0, 0, 0];
  const ends: (() => void)[] = [];
  for (const index of calls.keys()) {
    ends.push(
      interval.add(() => {
        calls[index] = (calls[index] ?? 0) + 1;
      }),
    );
    await Bun.sleep(MS / 4);
  }
  expect(calls).toEqual([0, 0, 0]);
  const startMs = performance.now();
  while (calls.some((count) => count < 3)) await Bun.sleep(MS / 10);
  const intervals = (performance.now() - startMs) / MS;
  for (const count of calls) expect(count).toBeLessThanOrEqual(Math.ceil(intervals) + 1);
  ends[0]?.();
  ends[0]?.();
  const before = [...calls];
  while (calls[1] === before[1]) await Bun.sleep(MS / 10);
  await Bun.sleep(MS);
  expect(calls[0]).toBe(before[0] as number);
  for (const end of ends) end();
  const last = [...calls];
  await Bun.sleep(2 * MS);
  expect(calls).toEqual(last);
  // It begins anew after it stood still.
  const { promise, resolve } = Promise.withResolvers<void>();
  const end = interval.add(resolve);
  await promise;
  end();
});
