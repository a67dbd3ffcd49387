import { describe, expect, test } from "bun:test";
import { createThrottle } from "../../src/lib/throttle.ts";

/** When each of so many callers that come at once passes, in milliseconds. */
async function turnsOf(count: number, options: Partial<Parameters<typeof createThrottle>[0]>) {
  const throttle = createThrottle({
    perSecond: 1_000,
    burstMax: 10,
    waitSecondsMax: 60,
    waitingMax: 10_000,
    ...options,
  });
  const startMs = performance.now();
  const order: number[] = [];
  const waits = Array.from({ length: count }, async (_, index) => {
    const turn = throttle.pass();
    if (turn !== undefined) await turn;
    order.push(index);
    return turn === undefined ? 0 : performance.now() - startMs;
  });
  const { waiting, waitSeconds } = throttle;
  return { waits: await Promise.all(waits), order, waiting, waitSeconds, throttle };
}

describe("createThrottle", () => {
  test("a throttle lets some pass at once after a quiet time, and the rest in order of arrival at its rate", async () => {
    const { waits, order, waiting, waitSeconds, throttle } = await turnsOf(110, {});
    const atOnce = waits.filter((ms) => ms === 0).length;
    // One more for each millisecond that has passed meanwhile.
    expect(atOnce).toBeGreaterThanOrEqual(10);
    expect(atOnce).toBeLessThan(20);
    expect(waiting).toBe(110 - atOnce);
    expect(waitSeconds).toBeCloseTo(waiting / 1_000);
    expect(order).toEqual([...order].sort((a, b) => a - b));
    // A thousand a second.
    expect(waits.at(-1) as number).toBeGreaterThan(waiting * 0.85);
    expect(throttle.waiting).toBe(0);
  });

  test("a throttle whose queue would take too long moves faster", async () => {
    const options = { perSecond: 100, waitSecondsMax: 0.1, burstMax: 50 };
    const { waits, waitSeconds } = await turnsOf(450, options);
    expect(waitSeconds).toBeCloseTo(0.1);
    // At its usual rate it would take four seconds.
    expect(Math.max(...waits)).toBeLessThan(2_000);
  });

  test("a throttle whose queue is full lets a new caller pass at once", async () => {
    const { waits } = await turnsOf(30, { waitingMax: 5 });
    expect(waits.filter((ms) => ms > 0)).toHaveLength(5);
  });
});
