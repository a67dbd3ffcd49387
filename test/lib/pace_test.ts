import { describe, expect, test } from "bun:test";
import { createPace } from "../../src/lib/pace.ts";

/** When each of so many that come at once goes through, in milliseconds. */
async function turnsOf(count: number, options: Partial<Parameters<typeof createPace>[0]>) {
  const pace = createPace({
    perSecond: 1_000,
    atOnceMax: 10,
    waitSecondsMax: 60,
    waitingMax: 10_000,
    ...options,
  });
  const startMs = performance.now();
  const order: number[] = [];
  const waits = Array.from({ length: count }, async (_, index) => {
    const turn = pace.turn();
    if (turn !== undefined) await turn;
    order.push(index);
    return turn === undefined ? 0 : performance.now() - startMs;
  });
  const { waiting, waitSeconds } = pace;
  return { waits: await Promise.all(waits), order, waiting, waitSeconds, pace };
}

describe("pace", () => {
  test("after a quiet while some go at once, the rest in order of arrival at the pace", async () => {
    const { waits, order, waiting, waitSeconds, pace } = await turnsOf(110, {});
    const atOnce = waits.filter((ms) => ms === 0).length;
    // One more for each millisecond that has passed meanwhile.
    expect(atOnce).toBeGreaterThanOrEqual(10);
    expect(atOnce).toBeLessThan(20);
    expect(waiting).toBe(110 - atOnce);
    expect(waitSeconds).toBeCloseTo(waiting / 1_000);
    expect(order).toEqual([...order].sort((a, b) => a - b));
    // A thousand a second.
    expect(waits.at(-1) as number).toBeGreaterThan(waiting * 0.85);
    expect(pace.waiting).toBe(0);
  });

  test("a line that would take too long goes faster", async () => {
    const options = { perSecond: 100, waitSecondsMax: 0.1, atOnceMax: 50 };
    const { waits, waitSeconds } = await turnsOf(450, options);
    expect(waitSeconds).toBeCloseTo(0.1);
    // At its least pace it would take four seconds.
    expect(Math.max(...waits)).toBeLessThan(2_000);
  });

  test("who finds the line full goes at once", async () => {
    const { waits } = await turnsOf(30, { waitingMax: 5 });
    expect(waits.filter((ms) => ms > 0)).toHaveLength(5);
  });
});
