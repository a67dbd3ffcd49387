import { describe, expect, test } from "bun:test";
import { connect } from "../../../src/postgres/client/connect.ts";
import { createTestDatabase } from "../../support/database.ts";

describe("connect", () => {
  test("statements that come one by one go to one session, whose caches are warm, however many sessions are open", async () => {
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

  test("a commit waits for the disk, whatever the database is set to", async () => {
    const { address, url } = await createTestDatabase();
    const owner = connect({ url }, { connectionsMax: 1 });
    const name = new URL(url).pathname.slice(1);
    await owner`alter database ${owner(name)} set synchronous_commit = off`;
    const sql = connect(address, { connectionsMax: 1 });
    expect([...(await sql`show synchronous_commit`)]).toEqual([{ synchronous_commit: "on" }]);
    const waiting = connect(
      { url: `${url}&synchronous_commit=remote_apply` },
      { connectionsMax: 1 },
    );
    expect([...(await waiting`show synchronous_commit`)]).toEqual([
      { synchronous_commit: "remote_apply" },
    ]);
    expect(() => connect({ url: `${url}&synchronous_commit=off` })).toThrow(/must survive a crash/);
    await Promise.all([owner.end(), sql.end(), waiting.end()]);
  });

  test("times are RFC 3339, whatever style the database prints by default", async () => {
    const { address, url } = await createTestDatabase();
    const owner = connect({ url }, { connectionsMax: 1 });
    const name = new URL(url).pathname.slice(1);
    await owner`alter database ${owner(name)} set datestyle = 'SQL, DMY'`;
    await owner.end();
    const sql = connect(address, { connectionsMax: 1 });
    const [row] = await sql`select timestamptz '2026-11-22 07:05:22.638845+01' as moment`;
    expect(row?.moment).toBe("2026-11-22T06:05:22.638845Z");
    const [short] = await sql`
      select timestamptz '2026-11-22 07:05:22+01' as second, timestamptz '0001-01-01 00:00:00.5Z' as half`;
    expect(short).toEqual({
      second: "2026-11-22T06:05:22Z",
      half: "0001-01-01T00:00:00.500000Z",
    });
    await sql.end();
  });

  test("transactions are read committed, whatever isolation the database has by default", async () => {
    const { address, url } = await createTestDatabase();
    const owner = connect({ url }, { connectionsMax: 1 });
    const name = new URL(url).pathname.slice(1);
    await owner`
      alter database ${owner(name)} set default_transaction_isolation = 'repeatable read'`;
    await owner.end();
    const sql = connect(address, { connectionsMax: 1 });
    const [row] = await sql`show transaction_isolation`;
    expect(row?.transaction_isolation).toBe("read committed");
    await sql.end();
  });

  test("statements are not compiled, whatever the database has by default", async () => {
    const { address, url } = await createTestDatabase();
    const owner = connect({ url }, { connectionsMax: 1 });
    const name = new URL(url).pathname.slice(1);
    await owner`alter database ${owner(name)} set jit = on`;
    await owner.end();
    const sql = connect(address, { connectionsMax: 1 });
    const [row] = await sql`show jit`;
    expect(row?.jit).toBe("off");
    await sql.end();
  });

  test("a server that takes a connection and says nothing is named in the error", async () => {
    const silent = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
    const sql = connect(
      { url: `postgres://feedgate@127.0.0.1:${silent.port}/feedgate` },
      { connectionsMax: 1, connectTimeoutMs: 300 },
    );
    const error = await sql`select 1`.catch((failure: unknown) => failure);
    expect(error).toMatchObject({
      code: "CONNECT_TIMEOUT",
      message: expect.stringContaining(`127.0.0.1:${silent.port}`),
    });
    await sql.end({ timeout: 0 });
    silent.stop(true);
  });

  test("a session serves on after a copy that ended while its reader was behind", async () => {
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
