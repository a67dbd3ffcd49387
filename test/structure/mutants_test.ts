import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { MUTANTS, mutate } from "../mutants/table.ts";

const ROOT = Bun.fileURLToPath(new URL("../../", import.meta.url));

test("each fault of the table can be put in at one place, and changes it", async () => {
  for (const mutant of MUTANTS) {
    const text = await Bun.file(ROOT + mutant.file).text();
    expect(mutate(text, mutant)).not.toBe(text);
  }
});

test("each fault names tests that are there, and none that is described twice", () => {
  for (const { what, tests } of MUTANTS) {
    expect({ what, tests: tests.filter((path) => existsSync(ROOT + path)) }).toEqual({
      what,
      tests: [...tests],
    });
    // Whole programs and browsers take too long for so many runs; a chain does not.
    const isQuick = /^test\/(?!system\/(?!topups\/)).+_test\.tsx?$/;
    expect(tests.filter((path) => !isQuick.test(path))).toEqual([]);
    expect(tests.length).toBeGreaterThan(0);
  }
  const described = MUTANTS.map(({ area, what }) => `${area}: ${what}`);
  expect(described).toEqual([...new Set(described)]);
});
