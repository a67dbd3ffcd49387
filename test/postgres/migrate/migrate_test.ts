import { expect, test } from "bun:test";
import { MIGRATIONS } from "../../../src/postgres/generated/statements.ts";
import { digestsOf, RELEASES, readMigrations } from "../../release/scene.ts";

test.each(RELEASES)("the migrations of %s are as it was released with them", (version) => {
  const released = readMigrations(version);
  expect(Object.keys(released).length).toBeGreaterThan(0);
  const now = digestsOf(MIGRATIONS);
  for (const [name, digest] of Object.entries(released)) {
    expect([name, now[name]]).toEqual([name, digest]);
  }
});

test("each migration has a number of its own, and none is left out", () => {
  const numbers = MIGRATIONS.map(({ name }) => Number(name.slice(0, 4)));
  expect(numbers).toEqual(numbers.map((_, place) => place + 1));
});
