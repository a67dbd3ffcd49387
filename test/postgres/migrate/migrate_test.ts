import { expect, test } from "bun:test";
import { connect } from "../../../src/postgres/client/connect.ts";
import { MIGRATIONS } from "../../../src/postgres/client/statements.ts";
import { applyMigrations, migrate } from "../../../src/postgres/migrate/migrate.ts";
import { createEmptyDatabase } from "../../support/database.ts";

/** Of `0001_schema.sql` as 0.1.0 has it. Databases of it exist, so a change is a migration of its own. */
const SCHEMA_SHA256 = "aed2663f341ee0bb6da18dad50afb12b8a0dc30dd70532e9cf9d7ba77e662af1";
const HELD_MS = 1_500;

test("0001_schema.sql is as it was released", () => {
  const text = MIGRATIONS[0]?.text ?? "";
  expect(new Bun.CryptoHasher("sha256").update(text).digest("hex")).toBe(SCHEMA_SHA256);
});

test("each migration has a number of its own, and none is left out", () => {
  const numbers = MIGRATIONS.map(({ name }) => Number(name.slice(0, 4)));
  expect(numbers).toEqual(numbers.map((_, place) => place + 1));
});

test("a migration waits for a long read, and nobody waits behind the migration", async () => {
  const { address } = await createEmptyDatabase();
  const sql = connect(address, { connectionsMax: 2, statementTimeoutMs: 0 });
  await migrate(sql);
  const dump = await sql.reserve();
  await dump`begin`;
  await dump`lock table batches in access share mode`;
  const migrating = connect(address, { connectionsMax: 1, statementTimeoutMs: 0 });
  let isDone = false;
  const later = { name: "later", text: "alter table batches add column later integer" };
  const applied = applyMigrations(migrating, [...MIGRATIONS, later]).then((names) => {
    isDone = true;
    return names;
  });
  const endMs = performance.now() + HELD_MS;
  let longestMs = 0;
  while (performance.now() < endMs) {
    const startMs = performance.now();
    await sql`select from batches limit 1`;
    longestMs = Math.max(longestMs, performance.now() - startMs);
    await Bun.sleep(5);
  }
  expect(isDone).toBe(false);
  // It lets go after 250 ms; the rest is the machine's.
  expect(longestMs).toBeLessThan(1_000);
  await dump`commit`;
  dump.release();
  expect(await applied).toEqual(["later"]);
  await Promise.all([sql.end(), migrating.end()]);
});
