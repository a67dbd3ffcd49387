/**
 * Rows distributed over a Citus cluster: with `CITUS_URL`, the address of an empty database on a
 * coordinator whose workers were added, on that cluster. Without it, on a PostgreSQL in which a function of
 * the same name stands for Citus' own and leaves the tables where they are: all but their distribution.
 *
 * @module
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readConfig } from "../../../src/config.ts";
import { createLog } from "../../../src/lib/log.ts";
import { type Connections, connect } from "../../../src/postgres/client/connect.ts";
import { distributeRows } from "../../../src/postgres/migrate/distribute.ts";
import { inFunctionSet } from "../../../src/postgres/migrate/function_set.ts";
import { type Gateway, startGateway } from "../../../src/server.ts";
import { operatorOf } from "../../cli/support.ts";
import { createTestDatabase } from "../../support/database.ts";
import { insertKey } from "../../support/insert_key.ts";

const { CITUS_URL } = process.env;
const ROWS = 500;

let url: string;
let sql: Connections;
let gateway: Gateway;
let accountId: string;
let readKey: string;
let writeKey: string;

function start(environment: Record<string, string> = {}): Promise<Gateway> {
  const config = readConfig({
    PORT: "0",
    DATABASE_URL: url,
    FEEDGATE_READ_LIMIT_FREE: "100000",
    FEEDGATE_PUSH_LIMIT: "100000",
    ...environment,
  });
  return startGateway(config, createLog({ level: "silent" }));
}

beforeAll(async () => {
  url = CITUS_URL ?? (await createTestDatabase()).url;
  sql = connect({ url }, { connectionsMax: 2, statementTimeoutMs: 0 });
  if (CITUS_URL === undefined) {
    await sql.unsafe(`
      create function create_distributed_table(spread regclass, by text, colocate_with text default '')
      returns void language sql as 'select'`);
    expect(await distributeRows(sql)).toBe(true);
    expect(await distributeRows(sql)).toBe(false);
  } else {
    await sql.end();
    expect(await operatorOf(url).json("migrate", "--distribute")).toMatchObject({
      distributed: true,
    });
    sql = connect({ url }, { connectionsMax: 2, statementTimeoutMs: 0 });
    // A statement that goes to more than one shard is an error from here on.
    const [database] = await sql`select current_database() as name`;
    await sql.unsafe(
      `alter database ${database?.name} set citus.multi_task_query_log_level = 'error'`,
    );
  }
  gateway = await start();
  const [account] = await sql`
    insert into accounts (name, max_feeds_allowed) values ('Acme', 100) returning account_id`;
  accountId = account?.account_id;
  readKey = await insertKey(sql, accountId, "read");
  writeKey = await insertKey(sql, accountId, "write");
});

afterAll(async () => {
  await gateway?.stop();
  await sql.end();
});

type Row = Readonly<Record<string, unknown>>;

interface Answer {
  readonly status: number;
  readonly body: Row & { readonly data: readonly Row[]; readonly next_cursor: string | null };
}

async function get(path: string): Promise<Answer> {
  const response = await fetch(gateway.baseUrl + path, { headers: { "x-api-key": readKey } });
  return { status: response.status, body: (await response.json()) as Answer["body"] };
}

async function send(path: string, body: unknown): Promise<Answer> {
  const response = await fetch(gateway.baseUrl + path, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${writeKey}` },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Answer["body"] };
}

let feeds = 0;
async function createFeed(type: string): Promise<string> {
  feeds += 1;
  const name = `distributed-${feeds}`;
  const fields = { endpoint_path: name, name, description: "d", category: "c", feed_type: type };
  const { status, body } = await send("/v1/provider/feed/create", fields);
  expect(status).toBe(201);
  return body.id as string;
}

async function push(feedId: string, body: unknown): Promise<Row> {
  const { status, body: receipt } = await send(`/v1/provider/feed/${feedId}/push`, body);
  expect([status, receipt]).toMatchObject([200, {}]);
  return receipt;
}

/** Every row, page after page. */
async function walk(feedId: string, query = ""): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (let cursor = ""; ; ) {
    const path = `/v1/feed/${feedId}?limit=100${query}${cursor && `&cursor=${cursor}`}`;
    const { status, body } = await get(path);
    expect([status, body]).toMatchObject([200, {}]);
    rows.push(...body.data);
    if (body.next_cursor === null) return rows;
    cursor = body.next_cursor;
  }
}

const ids = (rows: readonly Row[]) => rows.map(({ id }) => id);

async function indexAll(feedId: string, batch: number): Promise<void> {
  const statement = inFunctionSet("select index_filter_rows($1, $2, 1000000) as has_more");
  while ((await sql.unsafe(statement, [feedId, batch]))[0]?.has_more === true);
}

describe("distributed rows", () => {
  test("a distributed document is read as the last push left it", async () => {
    const feedId = await createFeed("singleton");
    for (let version = 1; version <= 5; version++) {
      await push(feedId, { version });
      expect((await get(`/v1/feed/${feedId}`)).body.data).toEqual({ version } as never);
    }
  });

  test("a distributed collection answers batches, a walk, ids and filters, also after rows in the filter index were replaced", async () => {
    const feedId = await createFeed("collection");
    const rows = Array.from({ length: ROWS }, (_, id) => ({ id, kind: id % 10 }));
    await push(feedId, { payload: [{ id: "old" }], batch_id: "one", batch_complete: true });
    await push(feedId, { payload: rows, batch_id: "two", batch_complete: true });
    expect(await walk(feedId)).toEqual(rows);
    const repeated = await push(feedId, { payload: rows, batch_id: "two", batch_complete: true });
    expect(repeated).toMatchObject({ rows_duplicate: ROWS });
    const two = await get(`/v1/feed/${feedId}?ids=499,7,nothing`);
    expect(ids(two.body.data)).toEqual([499, 7]);
    const third = rows.filter(({ kind }) => kind === 3);
    for (const isIndexed of [false, true]) {
      if (isIndexed) await indexAll(feedId, 2);
      expect(await walk(feedId, "&kind=eq.3")).toEqual(third);
      expect(ids(await walk(feedId, "&kind=eq.3&id=eq.13"))).toEqual([13]);
    }
    const receipt = await push(feedId, [
      { id: 13, kind: "new" },
      { id: 14, kind: 3 },
      { id: 15, kind: 5 },
      { id: "added", kind: 3 },
    ]);
    expect(receipt).toMatchObject({ rows_inserted: 1, rows_updated: 3, rows_duplicate: 0 });
    expect(ids(await walk(feedId, "&kind=eq.new"))).toEqual([13]);
    const expected = rows.filter(({ id, kind }) => id === 14 || (kind === 3 && id !== 13));
    expect(ids(await walk(feedId, "&kind=eq.3"))).toEqual([...ids(expected), "added"]);
    // The index has two entries of each row that it holds, none more and none less. Entries that note a name have
    // negative positions.
    const [entries] = await sql`
      select count(*)::int as count, max(indexed_position) as position
      from filter_terms
      join filter_indexes using (filter_index_id)
      where feed_id = ${feedId}
        and position > 0`;
    const [held] = await sql`
      select count(*)::int as rows
      from collection_rows
      where feed_id = ${feedId} and batch_number = 2 and position <= ${entries?.position}`;
    expect(entries?.count).toBe(2 * held?.rows);
  });

  test("a distributed stream takes each event once, and is read newest first, by time, by ids and by filters", async () => {
    const feedId = await createFeed("stream");
    const rows = Array.from({ length: ROWS }, (_, second) => ({
      id: `e${second}`,
      kind: second % 10,
      event_timestamp: new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString(),
    }));
    await push(feedId, rows);
    const late = { id: "late", kind: 3, event_timestamp: "2026-01-01T00:00:03.5Z" };
    expect(await push(feedId, [rows[1], late])).toMatchObject({
      rows_inserted: 1,
      rows_duplicate: 1,
    });
    const newestFirst = [...rows.slice(0, 4), late, ...rows.slice(4)].toReversed();
    expect(await walk(feedId)).toEqual(newestFirst);
    const window = "&start_time=2026-01-01T00:00:03Z&end_time=2026-01-01T00:00:04Z";
    expect(ids(await walk(feedId, window))).toEqual(["e4", "late", "e3"]);
    expect(ids((await get(`/v1/feed/${feedId}?ids=late,e1`)).body.data)).toEqual(["late", "e1"]);
    const third = newestFirst.filter(({ kind }) => kind === 3);
    for (const isIndexed of [false, true]) {
      if (isIndexed) await indexAll(feedId, 0);
      expect(await walk(feedId, "&kind=eq.3")).toEqual(third);
      expect(ids(await walk(feedId, "&kind=eq.3&id=eq.e13"))).toEqual(["e13"]);
    }
  });

  test("retired rows of a distributed feed are removed, and no rows of another feed", async () => {
    const [kept, retired] = [await createFeed("collection"), await createFeed("collection")];
    const rows = Array.from({ length: 20 }, (_, id) => ({ id }));
    for (const feedId of [kept, retired])
      await push(feedId, { payload: rows, batch_complete: true });
    await push(retired, { payload: [{ id: "newer" }], batch_complete: true });
    await sql`
      update batches set retired_at = now() - interval '1 day'
      where feed_id = ${retired} and status = 'retired'`;
    await sql`delete from maintenance_jobs`;
    const statement = inFunctionSet("select remove_retired_rows(now(), '15 min', 1000)");
    await sql.unsafe(statement);
    const stored = async (feedId: string) =>
      (await sql`select count(*)::int as rows from collection_rows where feed_id = ${feedId}`)[0];
    expect([await stored(kept), await stored(retired)]).toEqual([{ rows: 20 }, { rows: 1 }]);
  });

  test("a page waits until its rows have the version that the coordinator names", async () => {
    const feedId = await createFeed("collection");
    await push(feedId, [{ id: 1 }]);
    const lag = (by: number) => sql`
      update feed_versions set data_version = data_version + ${by} where feed_id = ${feedId}`;
    await lag(-1);
    let isAnswered = false;
    const reading = get(`/v1/feed/${feedId}`).finally(() => {
      isAnswered = true;
    });
    await Bun.sleep(50);
    expect(isAnswered).toBe(false);
    await lag(1);
    expect((await reading).status).toBe(200);
    await push(feedId, [{ id: 2 }]);
    await lag(-1);
    expect((await get(`/v1/feed/${feedId}`)).status).toBe(503);
    await lag(1);
    expect((await get(`/v1/feed/${feedId}`)).body.data).toEqual([{ id: 1 }, { id: 2 }]);
  });

  test("DATABASE_READ_URL is refused if rows are distributed", async () => {
    await expect(start({ DATABASE_READ_URL: url })).rejects.toThrow(/DATABASE_READ_URL/);
  });
});

describe("migrate --distribute", () => {
  test("migrate --distribute without the extension says so, and changes nothing", async () => {
    const plain = await createTestDatabase();
    const operator = operatorOf(plain.url);
    const { code, stderr } = await operator.run(["migrate", "--distribute"]);
    expect([code, stderr]).toEqual([
      1,
      "feedgate: the extension citus is not in this database: nothing was changed; install it on every node, create it here, add the nodes, then try again\n",
    ]);
    const looking = connect(plain.address, { connectionsMax: 1 });
    expect(await looking`select from settings where name = 'rows_distributed'`).toHaveLength(0);
    expect(await looking`select from pg_trigger where tgname = 'feeds_version_noted'`).toHaveLength(
      0,
    );
    await looking.end();
    const embedded = await operator.run(["migrate", "--distribute"], { DATABASE_URL: undefined });
    expect([embedded.code, embedded.stderr]).toEqual([1, expect.stringContaining("DATABASE_URL")]);
  });
});
