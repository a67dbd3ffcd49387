import { expect, test } from "bun:test";
import { connect } from "../../../../src/postgres/client/connect.ts";
import { MIGRATIONS } from "../../../../src/postgres/generated/statements.ts";
import { applyMigrations, migrate } from "../../../../src/postgres/migrate/migrate.ts";
import { createEmptyDatabase } from "../../../support/database.ts";

const HELD_MS = 4_000;
/** A read waits 250 ms at most for a migration that lets go; the rest is the machine's. */
const READ_MS_MAX = 3_000;

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
  expect(longestMs).toBeLessThan(READ_MS_MAX);
  await dump`commit`;
  dump.release();
  expect(await applied).toEqual(["later"]);
  await Promise.all([sql.end(), migrating.end()]);
});
