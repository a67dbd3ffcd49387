import { expect, test } from "bun:test";
import fc from "fast-check";
import { WindowTable } from "../../src/admission/window_table.ts";

/** Few names and accounts, so that they come again; more windows than the table has room for at first. */
const NAMES = Array.from({ length: 40 }, (_, number) => `feed-${number}`);
const OWNERS = 60;

const step = fc.record({
  owner: fc.integer({ min: 0, max: OWNERS - 1 }),
  name: fc.constantFrom(...NAMES),
  isRemoved: fc.boolean(),
});

function expectSame(table: WindowTable, model: ReadonlyMap<string, number>): void {
  for (let owner = 0; owner < OWNERS; owner++) {
    for (const name of NAMES) {
      expect(table.find(owner, name)).toBe(model.get(`${owner} ${name}`));
    }
  }
}

test("a WindowTable finds what a map finds, through random additions and removals", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 400 }), (steps) => {
      const table = new WindowTable();
      const model = new Map<string, number>();
      for (const [window, { owner, name, isRemoved }] of steps.entries()) {
        const known = model.get(`${owner} ${name}`);
        if (known === undefined) {
          table.add(owner, name, window);
          model.set(`${owner} ${name}`, window);
        } else if (isRemoved) {
          table.remove(known);
          model.delete(`${owner} ${name}`);
        }
      }
      expectSame(table, model);
    }),
    { numRuns: 100 },
  );
});

test("a WindowTable that has grown several times finds all, and nothing once all is removed", () => {
  const table = new WindowTable();
  const model = new Map<string, number>();
  for (let owner = 0; owner < OWNERS; owner++) {
    for (const name of NAMES) {
      table.add(owner, name, model.size);
      model.set(`${owner} ${name}`, model.size);
    }
  }
  expectSame(table, model);
  const windows = [...model.values()];
  const half = windows.filter((window) => window % 2 === 0);
  for (const window of half) table.remove(window);
  for (const [pair, window] of model) if (window % 2 === 0) model.delete(pair);
  expectSame(table, model);
  for (const window of windows) if (window % 2 === 1) table.remove(window);
  expectSame(table, new Map());
});
