import { afterAll, beforeAll, expect, test } from "bun:test";
import { createServer, type Socket } from "node:net";
import { type Connections, connect } from "../../../src/postgres/client/connect.ts";
import { createTestDatabase } from "../../support/database.ts";
import { connectTo, throughLink } from "../../support/database_link.ts";

const NAME = "reconnect_test";
/** More than PostgreSQL holds back, so that the first rows are on their way before the last is made. */
const ROW_BYTES = 50_000;

let url: string;
let observer: Connections;
let one: Connections;

beforeAll(async () => {
  url = (await createTestDatabase()).url;
  observer = connect({ url }, { connectionsMax: 1 });
  one = connect({ url: `${url}&application_name=${NAME}` }, { connectionsMax: 1 });
});
afterAll(async () => {
  await one.end();
  await observer.end();
});

test("after a connection that died within an answer, the next statement gets its own rows only", async () => {
  const cut = one`
    select number, repeat('x', ${ROW_BYTES}), case when number = 3 then pg_sleep(60) end
    from generate_series(1, 3) as number`.catch((error) => error.code);
  await cutAsleep();
  expect(await cut).toBe("CONNECTION_CLOSED");
  const rows = await one`select number from generate_series(1, 2) as number`;
  expect([...rows]).toEqual([{ number: 1 }, { number: 2 }]);
});

test("statements that wait on a reserved session fail when its connection dies", async () => {
  const session = await one.reserve();
  const codeOf = (statement: Promise<unknown>) => statement.catch((error) => error.code);
  // More than the socket takes at once: the next statement waits in the driver.
  const large = "x".repeat(20_000_000);
  const first = codeOf(session.unsafe(`select pg_sleep(60), length('${large}')`));
  const second = codeOf(session`rollback`);
  await cutAsleep();
  // On a busy machine the first is still being sent, and the system may give it up.
  expect(await first).toBeOneOf(["CONNECTION_CLOSED", "ETIMEDOUT"]);
  expect(await second).toBe("CONNECTION_CLOSED");
  session.release();
  expect([...(await one`select 1 as number`)]).toEqual([{ number: 1 }]);
});

test("a session can be reserved after the connection was lost", async () => {
  const sleeping = one`select pg_sleep(60)`.catch((error) => error.code);
  await cutAsleep();
  expect(await sleeping).toBe("CONNECTION_CLOSED");
  const session = await one.reserve();
  expect([...(await session`select 1 as number`)]).toEqual([{ number: 1 }]);
  session.release();
});

test("a statement on a session whose connection has died is refused", async () => {
  const session = await one.reserve();
  const codeOf = (statement: Promise<unknown>) => statement.catch((error) => error.code);
  const sleeping = codeOf(session`select pg_sleep(60)`);
  await cutAsleep();
  expect(await sleeping).toBe("CONNECTION_CLOSED");
  expect(await codeOf(session`rollback`)).toBe("CONNECTION_CLOSED");
  session.release();
  expect([...(await one`select 1 as number`)]).toEqual([{ number: 1 }]);
});

test("a statement behind a reset connection is answered or refused, and never waits", async () => {
  const links = new Set<Socket>();
  const link = createServer((client) => {
    links.add(client);
    client.on("error", () => {});
    const server = connectTo(url).on("error", () => {});
    client.pipe(server).pipe(client);
  });
  await new Promise<void>((resolve) => link.listen(0, "127.0.0.1", resolve));
  const sql = connect({ url: throughLink(url, link) }, { connectionsMax: 1 });
  const numbers = async () => [...(await sql`select number from generate_series(1, 2) as number`)];
  expect(await numbers()).toEqual([{ number: 1 }, { number: 2 }]);
  const sleeping = sql`select pg_sleep(60)`.catch((error) => error.code);
  await Bun.sleep(100);
  for (const each of links) each.resetAndDestroy();
  expect(await sleeping).toMatch(/^(CONNECTION_CLOSED|ECONNRESET)$/);
  // It may be sent between the error of the socket and its end.
  const behind = await numbers().catch((error) => error.code);
  expect([[{ number: 1 }, { number: 2 }], "CONNECTION_CLOSED"]).toContainEqual(behind);
  expect(await numbers()).toEqual([{ number: 1 }, { number: 2 }]);
  await sql.end();
  link.close();
});

/** Ends the session that sleeps, once it does. */
async function cutAsleep(): Promise<void> {
  for (;;) {
    const ended = await observer`
      select pg_terminate_backend(pid)
      from pg_stat_activity
      where application_name = ${NAME} and wait_event = 'PgSleep'`;
    if (ended.length > 0) return;
    await Bun.sleep(10);
  }
}
