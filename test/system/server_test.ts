import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connect as connectSocket } from "node:net";
import { readConfig } from "../../src/config.ts";
import { createLog } from "../../src/lib/log.ts";
import { type Connections, connect } from "../../src/postgres/client/connect.ts";
import { startGateway } from "../../src/server.ts";
import { linesOf, operatorOf, runFeedgate } from "../cli/support.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { lockWaiters } from "../support/lock_waiters.ts";
import { whenBusy } from "../support/pace.ts";
import { waitFor } from "../support/processes.ts";
import { serveGateway } from "../support/served_gateway.ts";

/** A signal to the end of the process. Decisions 8. */
const DRAIN_MS_MAX = 10_000;

let database: TestDatabase;
let sql: Connections;
let writeKey: string;
let feedId: string;

beforeAll(async () => {
  database = await createTestDatabase();
  sql = connect(database.address, { connectionsMax: 2, statementTimeoutMs: 0 });
  const operator = operatorOf(database.url, { opensAnew: true });
  const account = (await operator.json("account", "create", "--name", "Acme")) as { id: string };
  const argv = ["key", "create", "--account", account.id, "--permission", "write"];
  writeKey = ((await operator.json(...argv)) as { key: string }).key;
  const feeds = await sql`
    insert into feeds (account_id, name, endpoint_path)
    values (${account.id}, 'Drain', 'drain')
    returning feed_id`;
  feedId = feeds[0]?.feed_id;
});
afterAll(() => sql.end());

/** A gateway in a process of its own. */
async function serve(url = database.url) {
  const served = await serveGateway(["serve"], { DATABASE_URL: url });
  const push = () =>
    fetch(`${served.baseUrl}/v1/provider/feed/${feedId}/push`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${writeKey}` },
      body: JSON.stringify({ payload: { at: new Date().toISOString() } }),
    });
  return { ...served, push };
}

/** Holds the feed's row for a while, so that a push to it waits. */
async function lockFeed(): Promise<{ release(): Promise<void> }> {
  const session = await sql.reserve();
  await session`begin`;
  await session`select from feeds where feed_id = ${feedId} for update`;
  return {
    async release() {
      await session`rollback`;
      session.release();
    },
  };
}

async function untilWaiting(count = 1): Promise<void> {
  while ((await lockWaiters(sql)) < count) await Bun.sleep(10);
}

/** Whether a process says that it is about to stop, or takes no calls any more. */
async function isStopping(baseUrl: string): Promise<boolean> {
  const ready = await fetch(`${baseUrl}/readyz`).catch(() => undefined);
  return ready === undefined || ready.status === 503;
}

describe("stop", () => {
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    test(`${signal}: what is in flight is answered, nothing new is taken, and the process ends with 0`, async () => {
      const { child, baseUrl, push } = await serve();
      expect((await push()).status).toBe(200);
      const lock = await lockFeed();
      const inFlight = push();
      await untilWaiting();
      const startedMs = performance.now();
      child.kill(signal);
      const isClosed = () =>
        fetch(`${baseUrl}/healthz`).then(
          () => false,
          () => true,
        );
      const closed = await waitFor(isClosed, DRAIN_MS_MAX);
      // The push still waits for its lock.
      await lock.release();
      expect(closed).toBe(true);
      const answer = await inFlight;
      expect([answer.status, answer.headers.get("connection")]).toEqual([200, "close"]);
      expect(await child.exited).toBe(0);
      expect(performance.now() - startedMs).toBeLessThan(whenBusy(DRAIN_MS_MAX));
    });
  }

  test("before it takes nothing new, readyz is 503, and healthz still 200", async () => {
    const config = readConfig({ DATABASE_URL: database.url, PORT: "0" });
    const log = createLog({ level: "silent" });
    const gateway = await startGateway(config, log, { closingNoticeMs: 2_000, hasJobs: false });
    const stopped = gateway.stop();
    const ready = await fetch(`${gateway.baseUrl}/readyz`);
    expect([ready.status, ready.headers.get("connection")]).toEqual([503, "close"]);
    expect(ready.headers.get("retry-after")).toBe("1");
    expect((await fetch(`${gateway.baseUrl}/healthz`)).status).toBe(200);
    await stopped;
  });

  test("an upload that drips is cut, so that the process ends within 10 s", async () => {
    const { child, baseUrl } = await serve();
    const { hostname, port } = new URL(baseUrl);
    const socket = connectSocket(Number(port), hostname);
    socket.on("error", () => {});
    socket.write(
      `POST /v1/provider/feed/${feedId}/push HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAuthorization: Bearer ${writeKey}\r\nContent-Length: 1000\r\n\r\n{`,
    );
    const drip = setInterval(() => socket.write(" "), 200);
    await Bun.sleep(300);
    const startedMs = performance.now();
    child.kill("SIGTERM");
    expect(await child.exited).toBe(0);
    clearInterval(drip);
    socket.destroy();
    expect(performance.now() - startedMs).toBeLessThan(whenBusy(DRAIN_MS_MAX));
  });

  test("a second signal ends the process at once, and cuts what is in flight", async () => {
    const both = await Promise.all([serve(), serve()]);
    const lock = await lockFeed();
    const answers = both.map(({ push }) => push().catch(() => "cut"));
    await untilWaiting(both.length);
    for (const { child } of both) child.kill("SIGTERM");
    // Signals that a process has not seen yet are one, and so are those within 250 ms.
    for (const { baseUrl } of both) {
      expect(await waitFor(() => isStopping(baseUrl), DRAIN_MS_MAX)).toBe(true);
    }
    await Bun.sleep(300);
    for (const { child } of both) expect(child.exitCode).toBeNull();
    const startedMs = performance.now();
    both[0]?.child.kill("SIGTERM");
    both[1]?.child.kill("SIGINT");
    expect(await Promise.all(both.map(({ child }) => child.exited))).toEqual([143, 130]);
    expect(performance.now() - startedMs).toBeLessThan(whenBusy(1_000));
    expect(await Promise.all(answers)).toEqual(["cut", "cut"]);
    await lock.release();
  });
});

describe("start", () => {
  test("two processes on one empty database both come up, with one schema", async () => {
    await sql.unsafe("create database empty_for_two");
    const url = database.url.replace(/\/test_\d+/, "/empty_for_two");
    const both = await Promise.all([serve(url), serve(url)]);
    for (const { baseUrl } of both) expect((await fetch(`${baseUrl}/readyz`)).status).toBe(200);
    const looking = connect({ url }, { connectionsMax: 1, statementTimeoutMs: 0 });
    const rows = await looking`
      select count(*)::int as applied, max(version) as newest from schema_migrations`;
    expect(rows[0]?.applied).toBe(rows[0]?.newest);
    await looking.end();
    await Promise.all(both.map((each) => each.stop()));
  });

  test("a database with a newer schema is refused with one line and exit code 1", async () => {
    const newer = await createTestDatabase();
    const writing = connect(newer.address, { connectionsMax: 1, statementTimeoutMs: 0 });
    await writing`insert into schema_migrations (version, name) values (9999, 'of_the_future')`;
    await writing.end();
    expect(await failure(newer.url)).toEqual([
      expect.stringMatching(/schema 9999.*newer feedgate/),
    ]);
  });

  test("a database that can't be reached is refused with one line and exit code 1", async () => {
    for (const url of [
      "postgres://someone:secret@127.0.0.1:1/feedgate",
      "postgres://someone:secret@127.0.0.1:1,127.0.0.1:2/feedgate",
      "postgres://someone:secret@no-such-host.invalid/feedgate",
      "postgres:///feedgate?host=/nowhere",
    ]) {
      const lines = await failure(url);
      expect(lines).toEqual([expect.stringMatching(/can't be reached .*DATABASE_URL/)]);
      expect(lines[0]).not.toContain("secret");
    }
  });

  test("an address that asks for a server that can't be written to is refused with one line", async () => {
    const url = "postgres://127.0.0.1:1/feedgate?target_session_attrs=standby";
    const lines = await failure(url, 2);
    expect(lines).toEqual([expect.stringContaining("target_session_attrs")]);
  });
});

/** What a start on this database says before it ends with the code: 2 where its address is at fault. */
async function failure(url: string, exitCode = 1): Promise<string[]> {
  const { code, stderr } = await runFeedgate(["migrate"], { DATABASE_URL: url });
  expect(code).toBe(exitCode);
  return linesOf(stderr);
}
