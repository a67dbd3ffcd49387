/**
 * A gateway behind PgBouncer in transaction mode: fewer connections than the gateway has, so that
 * statements of one client run on many of the server's.
 *
 * @module
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Subprocess } from "bun";
import type { Permission } from "../../src/accounts/key_format.ts";
import { readConfig } from "../../src/config.ts";
import { createLog } from "../../src/lib/log.ts";
import { type Connections, connect } from "../../src/postgres/client/connect.ts";
import { MIGRATION_LOCK } from "../../src/postgres/migrate/migrate.ts";
import { type Gateway, startGateway } from "../../src/server.ts";
import { operatorOf } from "../cli/support.ts";
import { createTestDatabase, siblingUrl } from "../support/database.ts";
import { temporaryFolder } from "../support/folders.ts";
import { freePort } from "../support/free_port.ts";
import { insertKey } from "../support/insert_key.ts";

const PROGRAM = Bun.which("pgbouncer") ?? Bun.which("pgbouncer", { PATH: "/usr/sbin" });
if (PROGRAM === null) console.log("skipped: PgBouncer is not installed (Debian: pgbouncer)");

const DATABASE = "pooled";
const POOL_SIZE = 3;
const STATEMENT_MS = 5_000;
const START_MS_MAX = 10_000;
/** One credit a read. */
const USD_PER_1K = 0.001;
const READS = 300;
const GRANTED_CREDITS = 250;

let folder: string;
let pooler: Subprocess;
let databaseUrl: string;
/** To PostgreSQL itself. */
let sql: Connections;
let gateways: Gateway[] = [];

/** As the README has it. */
function writeSettings(host: string, port: number): string {
  const path = join(folder, "pgbouncer.ini");
  writeFileSync(
    path,
    `[databases]
${DATABASE} = host=${host} port=5432 dbname=${DATABASE} user=postgres connect_query='set statement_timeout = ${STATEMENT_MS}; set jit = off; set session characteristics as transaction isolation level read committed'
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${POOL_SIZE}
logfile = ${join(folder, "pgbouncer.log")}
`,
  );
  return path;
}

async function untilListening(port: number): Promise<void> {
  const until = Date.now() + START_MS_MAX;
  for (;;) {
    try {
      const socket = await Bun.connect({ hostname: "127.0.0.1", port, socket: { data() {} } });
      socket.end();
      return;
    } catch (error) {
      if (Date.now() > until) throw error;
      await Bun.sleep(20);
    }
  }
}

function start(environment: Record<string, string>): Promise<Gateway> {
  const config = readConfig({ PORT: "0", DATABASE_URL: databaseUrl, ...environment });
  return startGateway(config, createLog({ level: "silent" }));
}

describe.skipIf(PROGRAM === null)("behind PgBouncer in transaction mode", () => {
  beforeAll(async () => {
    const { url } = await createTestDatabase();
    const socketDir = String(new URL(url).searchParams.get("host"));
    const admin = connect({ url }, { connectionsMax: 1, statementTimeoutMs: 0 });
    await admin.unsafe(`create database ${DATABASE}`);
    await admin.end();
    sql = connect({ url: siblingUrl(url, DATABASE) }, { connectionsMax: 2, statementTimeoutMs: 0 });
    folder = temporaryFolder();
    chmodSync(folder, 0o777);
    const port = freePort();
    const settings = writeSettings(socketDir, port);
    // As the account of PostgreSQL: nobody else may open its socket.
    const { uid, gid } = statSync(socketDir);
    pooler = Bun.spawn([PROGRAM as string, "-q", settings], {
      ...(process.getuid?.() === 0 && { uid, gid }),
      stdio: ["ignore", "ignore", "ignore"],
    });
    databaseUrl = `postgres://postgres@127.0.0.1:${port}/${DATABASE}`;
    await untilListening(port);
    // At once: each migrates the empty database.
    gateways = await Promise.all([1, 2].map(() => start({ DATABASE_POOLED: "true" })));
  });

  afterAll(async () => {
    await Promise.all(gateways.map((gateway) => gateway.stop()));
    await sql.end();
    pooler.kill("SIGKILL");
    await pooler.exited;
  });

  async function createAccount(permission: Permission, credits: number) {
    const operator = operatorOf(databaseUrl, { opensAnew: true });
    const environment = { DATABASE_POOLED: "true" };
    const run = async (...argv: string[]) => {
      const { code, stdout, stderr } = await operator.run([...argv, "--json"], environment);
      expect([code, stderr]).toEqual([0, ""]);
      return JSON.parse(stdout) as Record<string, string>;
    };
    const { id = "" } = await run("account", "create", "--name", "A", "--max-feeds", "9");
    if (credits > 0) {
      const text = ["--reason", "test", "--reference", `grant-${id}`];
      await run("credits", "grant", "--account", id, "--credits", String(credits), ...text);
    }
    return { id, key: await insertKey(sql, id, permission) };
  }

  async function call(method: string, path: string, key: string, body?: unknown) {
    // In turn over both gateways.
    const [gateway] = gateways;
    gateways.reverse();
    const response = await fetch((gateway as Gateway).baseUrl + path, {
      method,
      headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return {
      status: response.status,
      body: (await response.json()) as Record<string, never>,
    };
  }

  test("behind PgBouncer, two gateways migrate a database, each step once, and leave no lock", async () => {
    const migrations = await sql`select version from schema_migrations order by version`;
    expect(migrations.map((row) => Number(row.version))).toEqual(
      migrations.map((_, index) => index + 1),
    );
    // Beside it, the gateways' jobs take locks of their own, each for the length of a transaction.
    expect(
      await sql`
      select 1 from pg_locks join pg_database on pg_database.oid = pg_locks.database
      where locktype = 'advisory' and datname = current_database() and objid = ${MIGRATION_LOCK}`,
    ).toHaveLength(0);
  });

  test("behind PgBouncer, feeds are created, pushed, read, searched, filtered and exported", async () => {
    const provider = await createAccount("write", 0);
    const consumer = await createAccount("read", GRANTED_CREDITS);
    const made = await call("POST", "/v1/provider/feed/create", provider.key, {
      endpoint_path: "pooled-quotes",
      name: "Pooled quotes",
      description: "Quotes behind a pooler.",
      category: "Finance",
      feed_type: "stream",
      price_type: "metered",
      price_per_1k: USD_PER_1K,
      schema_definition: { type: "object", required: ["price"] },
      schema_locked: true,
    });
    expect([made.status, made.body]).toMatchObject([201, {}]);
    const feedId = made.body.id as unknown as string;
    const rows = Array.from({ length: 150 }, (_, index) => ({ id: `row-${index}`, price: index }));
    const push = `/v1/provider/feed/${feedId}/push`;
    expect((await call("POST", push, provider.key, { payload: [{ id: "x" }] })).status).toBe(422);
    const pushed = await call("POST", push, provider.key, { payload: rows });
    expect([pushed.status, pushed.body]).toMatchObject([200, { rows_inserted: rows.length }]);
    await sql`update feeds set is_public = true, published_at = now() where feed_id = ${feedId}`;
    const search = await call("GET", "/v1/search?q=pooled", consumer.key);
    expect(search.body).toMatchObject({ total: 1 });
    const found: string[] = [];
    for (let cursor = ""; ; ) {
      const path = `/v1/feed/${feedId}?limit=100${cursor && `&cursor=${cursor}`}`;
      const { body } = await call("GET", path, consumer.key);
      found.push(...(body.data as unknown as { id: string }[]).map(({ id }) => id));
      cursor = body.next_cursor ?? "";
      if (cursor === "") break;
    }
    expect(new Set(found).size).toBe(rows.length);
    const filtered = await call("GET", `/v1/feed/${feedId}?price=eq.7`, consumer.key);
    expect(filtered.body).toMatchObject({ data: [{ id: "row-7" }] });
    const operator = operatorOf(databaseUrl, { opensAnew: true });
    const exported = await operator.run(["usage", "export", "--account", consumer.id], {
      DATABASE_POOLED: "true",
    });
    expect([exported.code, exported.stdout.trim().split("\n").length]).toEqual([0, 1 + 4]);
  });

  test("behind PgBouncer, as many of many reads at once are charged as are paid for, and none is lost", async () => {
    const provider = await createAccount("write", 0);
    const consumer = await createAccount("read", GRANTED_CREDITS);
    const feeds = await Promise.all(
      [1, 2, 3].map(async (number) => {
        const { body } = await call("POST", "/v1/provider/feed/create", provider.key, {
          endpoint_path: `pooled-${number}`,
          name: `Feed ${number}`,
          description: "One of three.",
          category: "Finance",
          feed_type: "singleton",
          price_type: "metered",
          price_per_1k: USD_PER_1K,
        });
        const id = body.id as unknown as string;
        await call("POST", `/v1/provider/feed/${id}/push`, provider.key, { payload: { number } });
        return id;
      }),
    );
    // As an agent reads: later where it is told so, as on a machine that is too slow for all at once.
    const read = async (feed: string | undefined) => {
      for (;;) {
        const answer = await call("GET", `/v1/feed/${feed}`, consumer.key);
        if (answer.status !== 503) return answer;
        await Bun.sleep(100);
      }
    };
    const answers = await Promise.all(
      Array.from({ length: READS }, (_, index) => read(feeds[index % feeds.length])),
    );
    const count = (status: number) => answers.filter((each) => each.status === status).length;
    expect([count(200), count(402)]).toEqual([GRANTED_CREDITS, READS - GRANTED_CREDITS]);
    const rows = await sql`select balance_nanos from accounts where account_id = ${consumer.id}`;
    expect(rows[0]?.balance_nanos).toBe(0n);
  });

  test("behind PgBouncer, statements are bounded by what the pooler says on each of its connections", async () => {
    const pooled = connect({ url: databaseUrl, isPooled: true }, { connectionsMax: 8 });
    const settings = await Promise.all(
      Array.from({ length: 20 }, () => pooled`select current_setting('statement_timeout') as it`),
    );
    expect(new Set(settings.map((rows) => rows[0]?.it))).toEqual(new Set(["5s"]));
    await pooled.end();
  });

  test("behind PgBouncer without DATABASE_POOLED, the start fails and says what to set", async () => {
    const { code, stderr } = await operatorOf(databaseUrl, { opensAnew: true }).run([
      "serve",
      "--port",
      "0",
    ]);
    expect([code, stderr]).toEqual([
      1,
      "feedgate: DATABASE_URL points to PgBouncer: set DATABASE_POOLED=true, or connect to PostgreSQL directly\n",
    ]);
  });
});
