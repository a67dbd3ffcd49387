import { expect, test } from "bun:test";
import { buffersMib, findMemoryBytes } from "../../../src/postgres/embedded/buffers.ts";

const GIB = 1_024 ** 3;

test("the buffers are a quarter of the memory, within bounds", () => {
  for (const [memory, mib] of [
    [GIB / 8, 128],
    [GIB / 2, 128],
    [2 * GIB, 512],
    [16 * GIB, 4_096],
    [24 * GIB, 4_096],
  ] as const) {
    expect(buffersMib(memory)).toBe(mib);
  }
  expect(findMemoryBytes()).toBeGreaterThan(GIB / 8);
});
