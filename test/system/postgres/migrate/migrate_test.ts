import { expect, test } from "bun:test";
import { connect } from "../../../../src/postgres/client/connect.ts";
import { MIGRATIONS } from "../../../../src/postgres/generated/statements.ts";
import { applyMigrations, migrate } from "../../../../src/postgres/migrate/migrate.ts";
import { createEmptyDatabase, createTestDatabase } from "../../../support/database.ts";
import { waitFor } from "../../../support/processes.ts";

const HELD_MS = 4_000;
/** A read waits 250 ms at most for a migration that lets go; the rest is the machine's. */
const READ_MS_MAX = 3_000;
const TRIED_MS_MAX = 60_000;

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

test("a migration that would be part of a deadlock gives way, and is applied again", async () => {
  const { address } = await createTestDatabase();
  const sql = connect(address, { connectionsMax: 3, statementTimeoutMs: 0 });
  await sql`create table things (thing_id int)`;
  await sql`create sequence tries`;
  const other = await sql.reserve();
  await other`begin`;
  await other`lock table things in access share mode`;
  // Only at its first try, the other session waits for it when it wants its second lock.
  const later = {
    name: "later",
    text: `
      do $$ begin
        if nextval('public.tries') = 1 then
          lock table public.things in row exclusive mode;
          while not exists (
            select from pg_locks where relation = 'public.things'::regclass and not granted
          ) loop
            perform pg_sleep(0.005);
          end loop;
        end if;
        lock table public.things in access exclusive mode;
      end $$`,
  };
  const applied = applyMigrations(sql, [...MIGRATIONS, later]);
  const isTried = async () => {
    const locks = await sql`
      select from pg_locks where relation = 'things'::regclass and mode = 'RowExclusiveLock'`;
    return locks.length === 1;
  };
  expect(await waitFor(isTried, TRIED_MS_MAX)).toBe(true);
  await other`lock table things in access exclusive mode`;
  await other`commit`;
  other.release();
  expect(await applied).toEqual(["later"]);
  await sql.end();
});
