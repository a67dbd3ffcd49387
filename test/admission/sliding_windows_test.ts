import { expect, test } from "bun:test";
import fc from "fast-check";
import { SlidingWindows } from "../../src/admission/sliding_windows.ts";

const WINDOW_US = 60_000_000;

/** What is done to one of three windows, some time after the step before. */
const step = fc.record({
  window: fc.integer({ min: 0, max: 2 }),
  afterUs: fc.integer({ min: 0, max: 40_000_000 }),
  does: fc.constantFrom("hit", "reserve", "release", "reopen"),
});

test("SlidingWindows agree with lists of times on random histories", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const windows = new SlidingWindows();
      const numbers = [windows.open(), windows.open(), windows.open()];
      const model = numbers.map(() => ({ hits: [] as number[], reserved: 0 }));
      let nowUs = 1_800_000_000_000_000;
      for (const { window: index, afterUs, does } of steps) {
        nowUs += afterUs;
        const known = model[index] as (typeof model)[number];
        let window = numbers[index] as number;
        if (does === "hit") {
          windows.hit(window, nowUs);
          known.hits.push(nowUs);
        } else if (does === "reserve") {
          windows.reserve(window);
          known.reserved += 1;
        } else if (does === "release" && known.reserved > 0) {
          windows.release(window);
          known.reserved -= 1;
        } else if (does === "reopen") {
          windows.close(window);
          window = windows.open();
          numbers[index] = window;
          model[index] = { hits: [], reserved: 0 };
        }
        const { hits, reserved } = model[index] as (typeof model)[number];
        const live = hits.filter((hit) => hit > nowUs - WINDOW_US);
        expect(windows.used(window, nowUs)).toBe(live.length + reserved);
        expect(windows.resetUs(window, nowUs)).toBe((live[0] ?? nowUs) + WINDOW_US);
        for (const limit of [1, 3]) {
          const frees = live[live.length + reserved - limit] ?? nowUs;
          if (live.length + reserved < limit) continue;
          expect(windows.freesAtUs(window, limit, nowUs)).toBe(frees + WINDOW_US);
        }
      }
      expect(windows.size).toBe(3);
    }),
    { numRuns: 300 },
  );
});

test("a hit leaves its window exactly 60 seconds after it came", () => {
  const windows = new SlidingWindows();
  const window = windows.open();
  windows.hit(window, 1_000_000);
  expect(windows.used(window, 1_000_000 + WINDOW_US - 1)).toBe(1);
  expect(windows.used(window, 1_000_000 + WINDOW_US)).toBe(0);
});
