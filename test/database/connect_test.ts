import { describe, expect, test } from "bun:test";
import { connect } from "../../src/database/connect.ts";
import { createTestDatabase } from "../support/database.ts";

describe("connect", () => {
  test("what comes one by one goes to one session, whose caches are warm, however many are open", async () => {
    const sql = connect((await createTestDatabase()).address, { connectionsMax: 8 });
    const sessionOf = async () => (await sql`select pg_backend_pid() as pid`)[0]?.pid as number;
    const open = await Promise.all(
      Array.from(
        { length: 8 },
        async () => (await sql`select pg_backend_pid() as pid, pg_sleep(0.05)`)[0]?.pid,
      ),
    );
    expect(new Set(open).size).toBe(8);
    const used = new Set<number>();
    for (let count = 0; count < 16; count += 1) used.add(await sessionOf());
    expect(used.size).toBe(1);
    // A transaction takes the warm one, too.
    expect(used).toContain(
      await sql.begin(async (own) => (await own`select pg_backend_pid() as pid`)[0]?.pid),
    );
    await sql.end();
  });

  test("a session goes on after a copy that ended while its reader was behind", async () => {
    const sql = connect((await createTestDatabase()).address, { connectionsMax: 1 });
    for (const rows of [1_000, 10_000, 1]) {
      const copy = await sql`
        copy (select repeat('x', 100) from generate_series(1, ${sql.unsafe(String(rows))})) to stdout`.readable();
      let bytes = 0;
      for await (const chunk of copy) bytes += (chunk as Buffer).length;
      expect(bytes).toBe(rows * 101);
    }
    await sql.end();
  });
});
