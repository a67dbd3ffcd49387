/**
 * A gateway of the first release serves on while this program migrates its database, and beside it after.
 *
 * The first release is here as the database knows it: its schema, and the statements that its gateways send
 * (`test/fixtures/first_release`).
 *
 * @module
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readConfig } from "../../../src/config.ts";
import { generateKey, hashKey, type Permission, startOf } from "../../../src/key/key_format.ts";
import { createLog } from "../../../src/lib/log.ts";
import { arrayLiteral } from "../../../src/postgres/client/array_literal.ts";
import { type Connections, connect } from "../../../src/postgres/client/connect.ts";
import { type Gateway, startGateway } from "../../../src/server.ts";
import { createEmptyDatabase } from "../../support/database.ts";

const FOLDER = new URL("../../fixtures/first_release/", import.meta.url);
const READ_LIMIT = 10;
const WINDOW_US = 60_000_000n;
const DAY_US = 86_400_000_000n;
const CREDIT_NANOS = 1_000;
const CREDITS = 15;
/** More than a test can spend. */
const CREDITS_PLENTY = 1_000_000;
/** Of reads that only credit bounds. */
const LIMIT_WIDE = 1_000_000;
/** What the old gateway does at once, all along. */
const OLD_CLIENTS = 4;

type Rows = readonly Record<string, unknown>[];

/** A gateway of the first release, as far as its database can tell. */
interface OldGateway {
  readonly statements: ReadonlyMap<string, string>;
  run(statement: string, ...parameters: unknown[]): Promise<Rows>;
}

interface Account {
  readonly id: string;
  readonly keyId: string;
  readonly key: string;
}

let databaseUrl: string;
let sql: Connections;
let oldSql: Connections;
let old: OldGateway;
let gateway: Gateway;
let provider: Account;
let agent: Account;
/** Metered, one credit a read. */
let streamId: string;
let freeId: string;

async function startOld(connections: Connections): Promise<OldGateway> {
  const text = await Bun.file(new URL("statements.sql", FOLDER)).text();
  const parts = text.split(/^(?=-- name: )/m).slice(1);
  const statements = new Map(
    parts.map((part) => [/^-- name: (\w+)/.exec(part)?.[1] as string, part]),
  );
  return {
    statements,
    run(name, ...parameters) {
      const sent = parameters.map((each) => (Array.isArray(each) ? arrayLiteral(each) : each));
      const options = { prepare: true, simple: false } as never;
      return connections.unsafe(statements.get(name) as string, sent as never[], options) as never;
    },
  };
}

async function createAccount(permission: Permission, credits: number): Promise<Account> {
  const [account] = await old.run("create_account", "Acme", 9);
  const id = account?.account_id as string;
  const nanos = String(credits * CREDIT_NANOS);
  if (credits > 0) await old.run("grant_credits", id, nanos, "welcome", `welcome-${id}`);
  const key = generateKey(permission);
  const [row] = await sql`
    insert into api_keys (account_id, key_hash, key_start, permission)
    values (${id}, ${hashKey(key)}, ${startOf(key)}, ${permission})
    returning key_id`;
  return { id, key, keyId: row?.key_id as string };
}

async function createFeed(slug: string, priceNanos: number): Promise<string> {
  const fields = { endpoint_path: slug, name: slug, feed_type: "stream" };
  const price = priceNanos === 0 ? "free" : "metered";
  const [saved] = await old.run(
    "save_feed",
    ...[provider.id, null, "create", JSON.stringify(fields), price, String(priceNanos), null],
    provider.keyId,
  );
  expect(saved).toMatchObject({ outcome: "created" });
  return saved?.feed_id as string;
}

beforeAll(async () => {
  ({ url: databaseUrl } = await createEmptyDatabase());
  sql = connect({ url: databaseUrl }, { connectionsMax: 2, statementTimeoutMs: 0 });
  oldSql = connect({ url: databaseUrl }, { connectionsMax: OLD_CLIENTS });
  await sql.unsafe(await Bun.file(new URL("schema.sql", FOLDER)).text());
  old = await startOld(oldSql);
  provider = await createAccount("write", 0);
  agent = await createAccount("read", CREDITS_PLENTY);
  streamId = await createFeed("upgraded", CREDIT_NANOS);
  freeId = await createFeed("upgraded-free", 0);
});

afterAll(async () => {
  await gateway?.stop();
  await oldSql.end();
  await sql.end();
});

let pushed = 0;

async function oldPush(feedId: string): Promise<string> {
  pushed += 1;
  const id = `old-${pushed}`;
  const [feed] = await old.run("find_feed", feedId, null);
  const [answer] = await old.run(
    "push_to_feed",
    ...[feedId, "stream", feed?.definition_version, 1, JSON.stringify({ id }).slice(0, -1), [id]],
    ...[[null], null, false, false, "10", 1],
  );
  return answer?.outcome as string;
}

/** The outcome of a read, decided as the old gateway decides it. */
async function oldRead(feedId: string, reader = agent, limit = LIMIT_WIDE): Promise<string> {
  const token = Buffer.from(crypto.getRandomValues(new Uint8Array(6))).toString("hex");
  const [decision] = await old.run(
    "admit",
    ...[[reader.id], [1], [1], [reader.keyId], ["data"], [feedId], [null], [limit], [limit]],
    ...[[null], [null], String(WINDOW_US), String(DAY_US), token],
  );
  return decision?.outcome as string;
}

async function oldPage(feedId: string): Promise<number> {
  const page = ["0", 100, [], [], [], "5000"];
  const [row] = await old.run("read_stream_page", feedId, null, null, null, null, ...page);
  return row?.row_count as number;
}

function get(path: string, reader = agent): Promise<Response> {
  return fetch(gateway.baseUrl + path, { headers: { "x-api-key": reader.key } });
}

function send(method: string, path: string, body: unknown): Promise<Response> {
  return fetch(gateway.baseUrl + path, {
    method,
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${provider.key}` },
    body: JSON.stringify(body),
  });
}

describe("upgrade from the first release", () => {
  test("its gateway pushes, admits and reads on while a new one migrates and takes over", async () => {
    expect(await oldPush(streamId)).toBe("stored");
    const described = await describeAll();
    const outcomes: string[] = [];
    let isOver = false;
    const clients = Array.from({ length: OLD_CLIENTS }, async () => {
      while (!isOver) {
        outcomes.push(await oldPush(streamId), await oldRead(streamId));
        expect(await oldPage(streamId)).toBeGreaterThan(0);
      }
    });
    const untilDone = async (more: number) => {
      const wanted = outcomes.length + more;
      while (outcomes.length < wanted) await Promise.race([Bun.sleep(2), ...clients]);
    };
    await untilDone(10);
    gateway = await startGateway(
      readConfig({
        PORT: "0",
        DATABASE_URL: databaseUrl,
        FEEDGATE_READ_LIMIT_FREE: String(READ_LIMIT),
        FEEDGATE_READ_LIMIT_PAID: String(LIMIT_WIDE),
      }),
      createLog({ level: "silent" }),
    );
    const pushed = await send("POST", `/v1/provider/feed/${streamId}/push`, [{ id: "new-1" }]);
    expect([pushed.status, await pushed.json()]).toMatchObject([200, { rows_inserted: 1 }]);
    expect((await get("/v1/feed/upgraded")).status).toBe(200);
    await untilDone(10);
    isOver = true;
    await Promise.all(clients);
    expect(new Set(outcomes)).toEqual(new Set(["stored", "granted"]));
    // Not one of its statements has come to take or give another thing.
    expect(await describeAll()).toEqual(described);
  });

  test("old and new count and charge as one: no read too many, no credit lost", async () => {
    await oldPush(freeId);
    const mixed = (feedId: string, reader: Account, limit: number) =>
      Promise.all(
        Array.from({ length: 3 * CREDITS }, async (_, index) =>
          index % 2 === 0
            ? (await get(`/v1/feed/${feedId}`, reader)).status === 200
            : (await oldRead(feedId, reader, limit)) === "granted",
        ),
      );
    const poor = await createAccount("read", CREDITS);
    const free = await mixed(freeId, poor, READ_LIMIT);
    const paid = await mixed(streamId, poor, LIMIT_WIDE);
    expect(free.filter(Boolean)).toHaveLength(READ_LIMIT);
    expect(paid.filter(Boolean)).toHaveLength(CREDITS);
    const accounts = await sql`
      select
        account_id,
        balance_nanos,
        (select sum(amount_nanos) from credit_ledger where account_id = accounts.account_id)
          - (select sum(charge_nanos) from usage_events where account_id = accounts.account_id)
          as proven
      from accounts
      where account_id in (${poor.id}, ${agent.id})`;
    for (const { balance_nanos: balance, proven } of accounts) expect(String(balance)).toBe(proven);
    expect(accounts.find(({ account_id }) => account_id === poor.id)?.balance_nanos).toBe(0n);
  });

  test("what either writes the other reads: the catalog, edits, the filter index", async () => {
    await old.run("set_feeds_public", [freeId], true);
    const catalog = (await (await get("/v1/catalog")).json()) as { feeds: { id: string }[] };
    expect(catalog.feeds.map(({ id }) => id)).toEqual([freeId]);
    const edit = { name: "Renamed by the new" };
    expect((await send("PATCH", `/v1/provider/feed/${freeId}/edit`, edit)).status).toBe(200);
    expect(await old.run("search_feeds", "renamed", null, 20, 0)).toMatchObject([
      { feed_id: freeId, name: edit.name, total: 1n },
    ]);
    expect(await old.run("index_filter_rows", streamId, "0", 1_000)).toEqual([{ has_more: false }]);
    // One row is in the index, and one came after it from a gateway that notes no arrivals.
    await oldPush(streamId);
    for (const id of ["old-1", `old-${pushed}`]) {
      const filtered = (await (await get(`/v1/feed/${streamId}?id=eq.${id}`)).json()) as {
        data: { id: string }[];
      };
      expect(filtered.data.map((row) => row.id)).toEqual([id]);
    }
  });
});

/** What each of the old statements takes and gives, as the database sees it now. */
async function describeAll() {
  const found: Record<string, unknown> = {};
  for (const [name, text] of old.statements) {
    const { types, columns } = await sql.unsafe(text).describe();
    found[name] = [types, (columns ?? []).map((column) => [column.name, column.type])];
  }
  return found;
}
