import { beforeAll, describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Writable } from "node:stream";
import { writeBackup } from "../../src/postgres/backup.ts";
import { type Connections, connect } from "../../src/postgres/client/connect.ts";
import { type EmbeddedPostgres, startEmbedded } from "../../src/postgres/embedded/start.ts";
import { MIGRATIONS } from "../../src/postgres/generated/statements.ts";
import { type Environment, linesOf, operatorOf, runFeedgate } from "../cli/support.ts";
import { createEmptyDatabase, createTestDatabase, siblingUrl } from "../support/database.ts";
import { temporaryFolder, usedDataDir } from "../support/folders.ts";
import { HAS_OLD_POSTGRES, startOldPostgres } from "../support/other_postgres.ts";
import { waitFor } from "../support/processes.ts";
import { serveGateway } from "../support/served_gateway.ts";

const files = temporaryFolder();
const file = join(files, "all.backup");
/** Within this time the job of the totals has run. */
const COUNTED_MS_MAX = 60_000;

async function run(dataDir: string, ...argv: string[]) {
  const { stdout, stderr, code } = await runFeedgate([...argv, "--data-dir", dataDir], {});
  return { stdout, lines: linesOf(stderr), code };
}

async function json<Value>(dataDir: string, ...argv: string[]): Promise<Value> {
  const { stdout, lines, code } = await run(dataDir, ...argv, "--json");
  expect([code, lines]).toEqual([0, []]);
  return JSON.parse(stdout) as Value;
}

function serve(dataDir: string) {
  return serveGateway(["serve", "--data-dir", dataDir], {});
}

/** What a table holds, whatever the order of its rows. */
async function digests(sql: Connections): Promise<Record<string, string>> {
  // A restored database is another incarnation of the one that was backed up.
  const [setting] = await sql`select value from settings where name = 'incarnation'`;
  await sql`delete from settings where name = 'incarnation'`;
  const tables = await sql`
    select relname as name
    from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
    order by relname`;
  const found: Record<string, string> = { incarnation: setting?.value };
  for (const { name } of tables) {
    const rows = await sql.unsafe(`
      select count(*) || ' ' || coalesce(md5(string_agg(row::text, ';' order by row::text)), '') as all
      from ${name} as row`);
    found[name] = rows[0]?.all;
  }
  return found;
}

async function lookInto<Result>(dataDir: string, look: (sql: Connections) => Promise<Result>) {
  const server: EmbeddedPostgres = await startEmbedded({ dataDir });
  const sql = connect(server, { connectionsMax: 1, statementTimeoutMs: 0 });
  try {
    return await look(sql);
  } finally {
    await sql.end();
    await server.stop();
  }
}

test("a backup shows one moment, whatever is written while it runs", async () => {
  const sql = connect(await createTestDatabase(), { connectionsMax: 2, statementTimeoutMs: 0 });
  const pieces: string[] = [];
  const sink = new Writable({
    async write(piece, _encoding, done) {
      // Behind the header, before the first table.
      if (pieces.length === 0) {
        await sql`insert into accounts (name, max_feeds_allowed) values ('Late', 3)`;
      }
      pieces.push(String(piece));
      done();
    },
    highWaterMark: 1,
  });
  await writeBackup(sql, sink);
  await sql.end();
  expect(pieces.join("")).not.toContain("Late");
});

test("a backup leaves in large pieces, however many rows there are, and says how far it is", async () => {
  const sql = connect(await createTestDatabase(), { connectionsMax: 2, statementTimeoutMs: 0 });
  await sql`
    insert into accounts (name, max_feeds_allowed)
    select repeat('Account ', 12) || number, 3 from generate_series(1, 30000) as number`;
  await sql`analyze`;
  let pieces = 0;
  let bytes = 0;
  const sink = new Writable({
    write(piece, _encoding, done) {
      pieces += 1;
      bytes += piece.length;
      done();
    },
  });
  const steps: number[][] = [];
  const { tables } = await writeBackup(sql, sink, { onRows: (...step) => steps.push(step) });
  await sql.end();
  expect(bytes).toBeGreaterThan(3 * 1_024 * 1_024);
  // Header, the end of each table, trailer.
  expect(pieces).toBeLessThanOrEqual(tables + 2 + Math.ceil(bytes / (1_024 * 1_024)));
  expect(steps.length).toBeGreaterThan(1);
  for (const [rows = 0, estimated = 0] of steps) {
    expect(estimated).toBeGreaterThanOrEqual(30_000);
    expect(rows).toBeLessThanOrEqual(estimated);
  }
});

let source: string;
let target: string;
let readKey: string;
let writeKey: string;
let feedId: string;

const ODD =
  '{"id":"a\\tb\\\\.\\n","big":123456789012345678901234567890,"1.0":1.0,"é":"\\u2028 \\\\N"}';

beforeAll(async () => {
  source = await usedDataDir();
  target = await usedDataDir();
  const account = await json<{ id: string }>(source, "account", "create", "--name", "Tab\tand\\n");
  const key = async (permission: string) => {
    const argv = ["key", "create", "--account", account.id, "--permission", permission];
    return (await json<{ key: string }>(source, ...argv)).key;
  };
  readKey = await key("read");
  writeKey = await key("write");
});

/** Reads the backup as the owner of a new database, and serves it. */
async function restoreElsewhere(serverUrl: string): Promise<void> {
  const admin = connect({ url: serverUrl }, { connectionsMax: 1, statementTimeoutMs: 0 });
  const name = `restored_${crypto.randomUUID().slice(0, 8)}`;
  await admin.unsafe(`create role ${name} login`);
  await admin.unsafe(`create database ${name} owner ${name}`);
  const address = new URL(siblingUrl(serverUrl, name));
  address.username = name;
  const operator = operatorOf(address.href, { opensAnew: true });
  const sql = connect({ url: address.href }, { connectionsMax: 1, statementTimeoutMs: 0 });
  const before = await lookInto(source, digests);
  expect(await operator.json("restore", file)).toMatchObject({ file });
  const after = await digests(sql);
  // Those that reads have left alone since the backup.
  for (const table of ["feeds", "collection_rows", "batches", "row_totals", "audit_events"]) {
    expect([table, after[table]]).toEqual([table, before[table]]);
  }
  const keys = await sql`select conname from pg_constraint where contype = 'f' and convalidated`;
  expect(keys.length).toBeGreaterThan(10);
  const off = await sql`select from pg_trigger where tgenabled <> 'O'`;
  expect(off).toHaveLength(0);
  const serving = await serveGateway(["serve"], { DATABASE_URL: address.href });
  const page = await read(serving.baseUrl);
  expect([page.status, await page.text()]).toEqual([
    200,
    expect.stringMatching(new RegExp(`^${RegExp.escape(`{"data":[${ODD},`)}`)),
  ]);
  expect((await push(serving.baseUrl, '[{"id":"elsewhere"}]')).status).toBe(200);
  await serving.stop();
  await sql.end();
  await admin.unsafe(`drop database ${name}`);
  await admin.unsafe(`drop role ${name}`);
  await admin.end();
}

/** Without what is each database's own: when its migrations were applied, when its jobs run, its incarnation. */
function keptOf(tables: Record<string, string>): Record<string, string> {
  const {
    schema_migrations: _,
    maintenance_jobs: __,
    totals_progress: ___,
    incarnation: ____,
    ...kept
  } = tables;
  return kept;
}

/** Writes a backup in which no job of the gateway has found out anything, and what the database held by then. */
async function backUpQuietly() {
  for (;;) {
    const before = await lookInto(source, digests);
    const written = await json<{ rows: number; tables: number }>(source, "backup", file);
    if (Bun.deepEquals(keptOf(await lookInto(source, digests)), keptOf(before))) {
      return { before, written };
    }
    rmSync(file);
  }
}

function push(baseUrl: string, body: string): Promise<Response> {
  return fetch(`${baseUrl}/v1/provider/feed/${feedId}/push`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${writeKey}` },
    body,
  });
}

function read(baseUrl: string): Promise<Response> {
  return fetch(`${baseUrl}/v1/feed/kept?limit=2`, { headers: { "x-api-key": readKey } });
}

describe("backup and restore", () => {
  test("a restored backup has every row that was written while the gateway served, and serves on", async () => {
    const serving = await serve(source);
    const made = await fetch(`${serving.baseUrl}/v1/provider/feed/create`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${writeKey}` },
      body: JSON.stringify({ name: "Kept", endpoint_path: "kept", description: "line\nbreak" }),
    });
    feedId = ((await made.json()) as { id: string }).id;
    // More than a socket and its stream hold at once, with tables behind it.
    const rows = Array.from({ length: 490 }, (_, id) =>
      JSON.stringify({ id, text: "x".repeat(2_000) }),
    );
    expect((await push(serving.baseUrl, `[${[ODD, ...rows].join(",")}]`)).status).toBe(200);
    expect((await read(serving.baseUrl)).status).toBe(200);
    await json(source, "feed", "publish", "kept");

    // A quiet moment to compare with, in which the read has reached the totals, then a backup while reads go on.
    const isCounted = await lookInto(source, (sql) =>
      waitFor(async () => (await sql`select from earning_days`).length > 0, COUNTED_MS_MAX),
    );
    expect(isCounted).toBe(true);
    const { before, written } = await backUpQuietly();
    expect(written.rows).toBeGreaterThan(10);
    expect(statSync(file).mode & 0o077).toBe(0);
    expect(existsSync(`${file}.part`)).toBe(false);
    let isOver = false;
    const reading = (async () => {
      while (!isOver) await read(serving.baseUrl);
    })();
    await json(source, "backup", join(files, "busy.backup"));
    isOver = true;
    await reading;
    await serving.stop();

    expect(await json<unknown>(target, "restore", file)).toEqual({ ...written, file });
    const after = await lookInto(target, digests);
    expect(after.incarnation).toMatch(/./);
    expect(after).toMatchObject(keptOf(before));

    const again = await serve(target);
    const page = await read(again.baseUrl);
    expect(page.status).toBe(200);
    expect(await page.text()).toStartWith(`{"data":[${ODD},`);
    // The sequences go on where they were.
    expect((await push(again.baseUrl, '[{"id":"new"}]')).status).toBe(200);
    const { next_cursor: cursor } = (await (await read(again.baseUrl)).json()) as {
      next_cursor: string;
    };
    expect(cursor).toBeString();
    await again.stop();
  });

  test("a backup of the embedded database fills an empty one of DATABASE_URL, as a role that is no superuser", async () => {
    const { url } = await createEmptyDatabase();
    await restoreElsewhere(url);
  });

  test.skipIf(!HAS_OLD_POSTGRES)("a backup fills a database of PostgreSQL 15", async () => {
    const { url, stop } = startOldPostgres();
    await restoreElsewhere(url).finally(stop);
  });

  test("restore refuses a database of DATABASE_URL that is not empty, or that a gateway uses", async () => {
    const restoreInto = async (url: string, environment: Environment = {}) => {
      const said = await operatorOf(url, { opensAnew: true }).run(["restore", file], environment);
      return [said.code, ...linesOf(said.stderr)];
    };
    const foreign = (await createEmptyDatabase()).url;
    const sql = connect({ url: foreign }, { connectionsMax: 1, statementTimeoutMs: 0 });
    await sql`create table posts (title text)`;
    expect(await restoreInto(foreign)).toEqual([
      1,
      expect.stringContaining("tables of another application (posts): restore into an empty one"),
    ]);
    expect(await sql`select from pg_class where relname = 'accounts'`).toHaveLength(0);
    await sql.end();
    const filled = operatorOf((await createTestDatabase()).url, { opensAnew: true });
    await filled.json("account", "create", "--name", "There");
    expect(await restoreInto(filled.databaseUrl)).toEqual([
      1,
      expect.stringContaining("already contains accounts"),
    ]);
    const { url } = await createEmptyDatabase();
    const serving = await serveGateway(["serve"], { DATABASE_URL: url });
    expect(await restoreInto(url)).toEqual([1, expect.stringContaining("stop them")]);
    await serving.stop();
    expect(await restoreInto(url, { DATABASE_POOLED: "true" })).toEqual([
      1,
      expect.stringContaining("unset DATABASE_POOLED"),
    ]);
    expect((await restoreInto(url))[0]).toBe(0);
  });

  test("restore leaves an operator's own tables as they are, whatever a file says, and finds its own in any schema", async () => {
    const { url } = await createEmptyDatabase();
    const look = async (text: string): Promise<object[]> => {
      const sql = connect({ url }, { connectionsMax: 1, statementTimeoutMs: 0 });
      const rows = await sql.unsafe(text);
      await sql.end();
      return [...rows];
    };
    await look("create schema apart");
    const address = `${url}&search_path=apart`;
    const operator = operatorOf(address, { opensAnew: true });
    expect((await operator.run(["migrate"])).code).toBe(0);
    await look("create table apart.own as select 'kept' as note");
    const [head = "", ...rest] = Buffer.from(Bun.gunzipSync(readFileSync(file)))
      .toString("latin1")
      .split("\n");
    const header = JSON.parse(head);
    const at = header.tables.findIndex(({ name }: { name: string }) => name > "own");
    header.tables.splice(at, 0, { name: "own", columns: ["note"], partitions: [] });
    const ends = rest.flatMap((line, index) => (line === "\\." ? [index] : []));
    rest.splice((ends[at - 1] ?? 0) + 1, 0, "lost", "\\.");
    const trailer = JSON.parse(rest.at(-2) ?? "");
    trailer.rows.splice(at, 0, 1);
    rest.splice(-2, 1, JSON.stringify(trailer));
    const crafted = join(files, "own.crafted");
    const text = [JSON.stringify(header), ...rest].join("\n");
    writeFileSync(crafted, Bun.gzipSync(Buffer.from(text, "latin1")));
    const refused = await operator.run(["restore", crafted]);
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining("additional tables"),
    ]);
    const restored = await operator.run(["restore", file]);
    expect([restored.code, restored.stderr]).toEqual([0, ""]);
    expect(await look("select note from apart.own")).toEqual([{ note: "kept" }]);
    expect(await look("select from apart.accounts")).not.toHaveLength(0);
  });

  test("a backup of another schema is refused, and not said to be damaged", async () => {
    const folder = await usedDataDir();
    const [head = "", ...rest] = Buffer.from(Bun.gunzipSync(readFileSync(file)))
      .toString("latin1")
      .split("\n");
    type Header = { fingerprint?: string; tables: { name: string; columns: string[] }[] };
    const feeds = ({ tables }: Header) => tables.find(({ name }) => name === "feeds");
    const crafted: Record<string, (header: Header) => void> = {
      "its schema 1 comes from other migrations": (header) => {
        header.fingerprint = "0".repeat(64);
      },
      // As those of unreleased versions, which have no fingerprint.
      "its table feeds has no column retention_days": (header) => {
        delete header.fingerprint;
        const table = feeds(header);
        if (table) table.columns = table.columns.filter((each) => each !== "retention_days");
      },
      "it has no table row_totals": (header) => {
        delete header.fingerprint;
        header.tables = header.tables.filter(({ name }) => name !== "row_totals");
      },
      "it has additional tables or columns": (header) => {
        delete header.fingerprint;
        feeds(header)?.columns.push("more");
      },
    };
    for (const [difference, craft] of Object.entries(crafted)) {
      const header: Header = JSON.parse(head);
      craft(header);
      const path = join(files, `${Bun.hash(difference)}.other`);
      const text = [JSON.stringify(header), ...rest].join("\n");
      writeFileSync(path, Bun.gzipSync(Buffer.from(text, "latin1")));
      const { code, lines } = await run(folder, "restore", path);
      expect([difference, code, lines]).toEqual([
        difference,
        1,
        [expect.stringContaining("restore it with the feedgate that wrote it")],
      ]);
      expect(lines[0]).toContain(difference.replace("schema 1 ", `schema ${MIGRATIONS.length} `));
    }
  });

  test("a backup of a busy database is whole", async () => {
    const folder = await usedDataDir();
    await json(folder, "restore", join(files, "busy.backup"));
    const account = (await json<{ id: string }[]>(folder, "account", "list"))[0];
    const shown = await json<{ ledger: { is_balanced: boolean } }>(
      folder,
      "account",
      "show",
      account?.id as string,
    );
    expect(shown.ledger.is_balanced).toBe(true);
  });

  test("a month of the usage log can't be dropped while a backup writes it", async () => {
    const { address } = await createTestDatabase();
    const sql = connect(address, { connectionsMax: 2, statementTimeoutMs: 0 });
    const accountId = crypto.randomUUID();
    const usageId = Bun.randomUUIDv7();
    await sql`
      insert into accounts (account_id, name, max_feeds_allowed) values (${accountId}, 'Reader', 1)`;
    await sql`
      insert into usage_events
        (usage_id, account_id, operation, charge_nanos, happened_at)
      values (${usageId}, ${accountId}, 'data', 0, now())`;
    const [month] = await sql`
      select inhrelid::regclass::text as name from pg_inherits
      where inhparent = 'usage_events'::regclass
        and inhrelid = (select tableoid from usage_events limit 1)`;
    const begun = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    let text = "";
    const sink = new Writable({
      highWaterMark: 1,
      async write(chunk, _encoding, done) {
        begun.resolve();
        await goOn.promise;
        text += chunk;
        done();
      },
    });
    const writing = writeBackup(sql, sink);
    await begun.promise;
    const other = connect(address, { connectionsMax: 1, statementTimeoutMs: 0 });
    await other`set lock_timeout = '100ms'`;
    const dropped = other.unsafe(`drop table ${month?.name}`).catch((error) => error.code);
    expect(await dropped).toBe("55P03");
    goOn.resolve();
    await writing;
    expect(text).toContain(usageId);
    await Promise.all([sql.end(), other.end()]);
  });

  test("of two backups to one file, one is written whole and the other is refused", async () => {
    const path = join(files, "twice.backup");
    const both = await Promise.all([run(source, "backup", path), run(source, "backup", path)]);
    expect(both.map(({ code }) => code).sort()).toEqual([0, 1]);
    expect(both.flatMap(({ lines }) => lines)).toEqual([expect.stringContaining("already exists")]);
    const text = Buffer.from(Bun.gunzipSync(readFileSync(path))).toString();
    expect(text.trimEnd().split("\n").at(-1)).toStartWith('{"rows":');
    expect(readdirSync(files).filter((name) => name.endsWith(".part"))).toEqual([]);
  });

  test("restore refuses a database with accounts, a file that was cut, and a file that is no backup", async () => {
    expect(await run(target, "restore", file)).toMatchObject({
      code: 1,
      lines: [expect.stringContaining("already contains accounts")],
    });
    const empty = await usedDataDir();
    const unzipped = Bun.gunzipSync(readFileSync(file));
    // One column too many in a row, with rows of other tables behind it.
    const text = Buffer.from(unzipped).toString("latin1");
    const torn = text.replace(/\n([0-9a-f]{8}-[0-9a-f-]{27}\t)/, "\n\t$1");
    expect(torn).not.toBe(text);
    const bad: Record<string, Uint8Array> = {
      "torn.backup": Bun.gzipSync(Buffer.from(torn, "latin1")),
      "longer.backup": Bun.gzipSync(Buffer.concat([unzipped, Buffer.from("more\n")])),
      "no-checksum.backup": readFileSync(file).subarray(0, -6),
      "cut.backup": readFileSync(file).subarray(0, -200),
      "cut-well.backup": Bun.gzipSync(unzipped.subarray(0, -100)),
      "nothing.backup": new Uint8Array(0),
      // A few kilobytes that would be a line of 100 MB.
      "bomb.backup": Bun.gzipSync(new Uint8Array(100 * 1_024 * 1_024).fill(32)),
      "text.backup": new TextEncoder().encode("not a backup\n"),
      "json.backup": Bun.gzipSync(new TextEncoder().encode("{}\n")),
      "newer.backup": Bun.gzipSync(
        new TextEncoder().encode('{"feedgate_backup":1,"schema":9999,"tables":[]}\n'),
      ),
    };
    for (const [name, bytes] of Object.entries(bad)) {
      const path = join(files, name);
      writeFileSync(path, bytes);
      const { code, lines } = await run(empty, "restore", path);
      expect([name, code, lines]).toEqual([name, 1, [expect.stringContaining(path)]]);
    }
    // Nothing of them was kept.
    expect(await json<unknown[]>(empty, "account", "list")).toEqual([]);
    expect((await run(empty, "restore", join(files, "missing"))).code).toBe(1);
    // No file, but a folder.
    expect(await run(empty, "restore", files)).toMatchObject({
      code: 1,
      lines: [expect.stringContaining("file not found")],
    });
    expect((await run(source, "backup", file)).lines[0]).toContain("already exists");
    const mistyped = join(files, "mistyped");
    expect(await run(mistyped, "backup", join(files, "of-nothing.backup"))).toMatchObject({
      code: 1,
      lines: [expect.stringContaining(`no database found in ${mistyped}`)],
    });
  });

  test("restore makes no text of a backup part of a statement", async () => {
    const folder = await usedDataDir();
    const witness = join(files, "witness");
    const lines = Buffer.from(Bun.gunzipSync(readFileSync(file))).toString("latin1");
    const [head = "", ...rest] = lines.split("\n");
    const program = `; create table seen (); copy seen to program 'touch ${witness}'; --`;
    type Header = { schema: unknown; tables: Table[] };
    type Partition = { name: string; bound: string };
    type Table = { name: string; columns: string[]; partitions: Partition[] };
    const crafted: Record<string, (header: Header, log: Table) => void> = {
      bound: (_, { partitions: [partition] }) =>
        Object.assign(partition ?? {}, { bound: `${partition?.bound}${program}` }),
      partition: (_, { partitions: [partition] }) =>
        Object.assign(partition ?? {}, { name: `usage_events_2020_01 default${program}` }),
      overlap: (_, { partitions }) =>
        partitions.push({ ...(partitions[0] as Partition), name: "usage_events_2020_01" }),
      column: (_, log) => log.columns.push(`x") from stdin${program}`),
      table: (_, log) => Object.assign(log, { name: `usage_events"${program}` }),
      schema: (header) => Object.assign(header, { schema: `1${program}` }),
      twice: (header, log) => header.tables.push(log),
    };
    for (const [name, craft] of Object.entries(crafted)) {
      const header: Header = JSON.parse(head);
      craft(header, header.tables.find((table) => table.name === "usage_events") as Table);
      const path = join(files, `${name}.crafted`);
      const text = [JSON.stringify(header), ...rest].join("\n");
      writeFileSync(path, Bun.gzipSync(Buffer.from(text, "latin1")));
      const { code, lines: said } = await run(folder, "restore", path);
      expect([name, code, said]).toEqual([name, 1, [expect.stringContaining(path)]]);
      expect([name, existsSync(witness)]).toEqual([name, false]);
    }
  });

  test("restore refuses a data directory that another feedgate uses, and lets none in meanwhile", async () => {
    const folder = await usedDataDir();
    const serving = await serve(folder);
    const refused = await run(folder, "restore", file);
    expect(refused.code).toBe(1);
    expect(refused.lines).toEqual([expect.stringContaining(`another feedgate is using`)]);
    await serving.stop();
    const alone = await startEmbedded({ dataDir: folder, isAlone: true });
    let isIn = false;
    const late = startEmbedded({ dataDir: folder }).then((server) => {
      isIn = true;
      return server;
    });
    await Bun.sleep(300);
    expect(isIn).toBe(false);
    await alone.stop();
    await (await late).stop();
  });

  test("backup of an external database names PostgreSQL's own tools", async () => {
    const operator = operatorOf((await createTestDatabase()).url, { opensAnew: true });
    const { code, stderr } = await operator.run(["backup", join(files, "external")]);
    expect([code, stderr.includes("pg_dump")]).toEqual([1, true]);
  });
});
