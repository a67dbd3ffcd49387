/**
 * A primary that comes back after a failover, as a primary. Both servers can be written to then, and only one holds
 * the truth.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readConfig } from "../../src/config.ts";
import { createJobs } from "../../src/jobs/jobs.ts";
import { createLog } from "../../src/lib/log.ts";
import { type Connections, connect } from "../../src/postgres/client/connect.ts";
import { LINEAGE_QUERY, readLineage } from "../../src/postgres/client/timelines.ts";
import { FUNCTION_SCHEMA } from "../../src/postgres/migrate/function_set.ts";
import { openDatabase } from "../../src/postgres/open_database.ts";
import { type Gateway, startGateway } from "../../src/server.ts";
import { refused, runProcess } from "../cli/support.ts";
import { insertKey } from "../support/insert_key.ts";
import { whenBusy } from "../support/pace.ts";
import { type ServerPair, startServerPair } from "../support/standby.ts";

const RECOVERY_MS_MAX = 10_000;

let pair: ServerPair;
let url: string;
/** On the new primary. */
let sql: Connections;
let key: string;
const lines: string[] = [];
const gateways: Gateway[] = [];

/** The addresses' sockets as one address, in this order. */
function both(first: string, second: string): string {
  const hosts = [first, second].map((each) => new URL(each).searchParams.get("host"));
  return `postgres://postgres@localhost:5432/feedgate?host=${encodeURIComponent(hosts.join(","))}`;
}

async function start(): Promise<Gateway> {
  const config = readConfig({ PORT: "0", DATABASE_URL: url });
  const log = createLog({ level: "warn", isReadable: false, write: (line) => lines.push(line) });
  const gateway = await startGateway(config, log, { closingNoticeMs: 0 });
  gateways.push(gateway);
  return gateway;
}

async function statusOf({ baseUrl }: Gateway): Promise<number> {
  const response = await fetch(`${baseUrl}/v1/account`, { headers: { "x-api-key": key } });
  return response.status;
}

async function until(gateway: Gateway, status: number): Promise<void> {
  const endMs = performance.now() + whenBusy(RECOVERY_MS_MAX);
  while ((await statusOf(gateway)) !== status) {
    expect(performance.now()).toBeLessThan(endMs);
    await Bun.sleep(50);
  }
}

beforeAll(async () => {
  pair = await startServerPair();
  url = both(pair.primaryUrl, pair.standbyUrl);
  await start();
});
afterAll(async () => {
  await Promise.all(gateways.map((gateway) => gateway.stop()));
  await sql.end({ timeout: 1 });
  await pair.stop();
});

describe("an old primary", () => {
  test("a gateway that starts while the old primary is back, first in its list, uses the new one and says so", async () => {
    await pair.cutOff();
    await pair.endPrimary();
    await pair.promote();
    sql = connect(
      { url: `${pair.standbyUrl}&search_path=${FUNCTION_SCHEMA},public` },
      { connectionsMax: 1, statementTimeoutMs: 0 },
    );
    const [account] = await sql`
      insert into accounts (name, max_feeds_allowed) values ('After the failover', 1)
      returning account_id`;
    key = await insertKey(sql, account?.account_id, "read");
    await pair.startPrimary();

    lines.length = 0;
    expect(await statusOf(await start())).toBe(200);
    expect(lines.map((line) => JSON.parse(line))).toContainEqual(
      expect.objectContaining({
        level: "warn",
        message: "an old primary accepts connections: stop it, and make it a standby",
        timeline: 1,
        newest_timeline: 2,
      }),
    );
    // The gateway that was there before the failover goes to the new one, too.
    await until(gateways[0] as Gateway, 200);
  });

  test("a process that knows nothing of the failover uses the new one, too", async () => {
    const run = await runProcess(["account", "list", "--json"], { DATABASE_URL: url });
    expect(run.code).toBe(0);
    expect(run.stdout).toContain("After the failover");
  });

  test("an old primary that is marked as old is refused by a process that reaches nothing else, in one line", async () => {
    const run = await runProcess(["account", "list"], { DATABASE_URL: pair.primaryUrl });
    refused(run, "from before a failover", "timeline 1, and 2 has begun elsewhere");
  });

  test("a gateway that has seen the new primary does not go back while that is away, and serves when it returns", async () => {
    pair.signalStandby("SIGKILL");
    for (const gateway of gateways) await until(gateway, 503);
    await Bun.sleep(1_500);
    for (const gateway of gateways) expect(await statusOf(gateway)).toBe(503);
    await pair.startStandby();
    for (const gateway of gateways) await until(gateway, 200);
  });
});

test("a gateway that is served well by the old primary finds the new one by a job", async () => {
  const split = await startServerPair();
  const config = readConfig({ DATABASE_URL: both(split.primaryUrl, split.standbyUrl) });
  const { database, survey, close } = await openDatabase(config, { connectionsMax: 1 });
  const job = createJobs({
    usageRetentionDays: 400,
    auditRetentionDays: 400,
    flushKeyUses: async () => {},
    survey,
  }).find(({ name }) => name === "primaries");
  const timeline = async () =>
    readLineage((await database.connections.unsafe(LINEAGE_QUERY))[0]?.lineage)?.timeline;
  await job?.step(database);
  expect(await timeline()).toBe(1);
  await split.cutOff();
  await split.promote();
  // Nothing was wrong with its session, so it stays.
  expect(await timeline()).toBe(1);
  await Bun.sleep(1_100);
  await job?.step(database);
  const found = await timeline().catch(timeline);
  expect(found).toBe(2);
  await close();
  await split.stop();
});

test("sessions that are still open on the old primary are closed once the new one is seen, and none is opened again", async () => {
  const split = await startServerPair();
  const old = connect({ url: split.primaryUrl }, { connectionsMax: 1, statementTimeoutMs: 0 });
  await old`select 1`;
  await split.cutOff();
  await split.promote();
  const fresh = connect({ url: split.standbyUrl }, { connectionsMax: 1, statementTimeoutMs: 0 });
  // A promotion is done when the standby takes writes.
  const isStandby = async () => (await fresh`select pg_is_in_recovery() as is_it`)[0]?.is_it;
  while (await isStandby()) await Bun.sleep(10);
  // Sessions from before the promotion were a standby's, whose timeline nobody has asked for.
  const later = connect({ url: split.standbyUrl }, { connectionsMax: 1, statementTimeoutMs: 0 });
  expect([...(await later`select 1 as one`)]).toEqual([{ one: 1 }]);
  expect(await old`select 1`.catch(({ code }) => code)).toBe("HOST_IS_OLD_PRIMARY");
  expect(await old`select 1`.catch(({ code }) => code)).toBe("HOST_IS_OLD_PRIMARY");
  for (const pool of [old, fresh, later]) await pool.end({ timeout: 0 });
  await split.stop();
});
