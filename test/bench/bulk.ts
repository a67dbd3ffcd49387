/**
 * Import of 1,000,000 rows of 250 bytes, durable (fsync on), compared with a plain `COPY` of the same rows into the
 * same table through the driver, in turns. Export of as many rows, compared with `copy … to stdout` of the same query.
 * During both, measures the gateway's memory, the processor time of gateway and database per row, and the duration of
 * another account's reads. Processor times are not affected by other load on the machine, unlike the rates.
 *
 * `bun run bench bulk [--rows N] [--rounds N]`
 *
 * @module
 */
import { parseArgs } from "node:util";
import { insertKey } from "../support/insert_key.ts";
import { type OtherReads, startReads } from "./other_reads.ts";
import { familyProcessorSeconds, processorSeconds, residentMb, startServer } from "./processes.ts";
import type { Bench, Figures } from "./run.ts";
import { type BenchDatabase, median, startBenchDatabase } from "./support.ts";
import { numberOf } from "./usage.ts";

const ROWS = 1_000_000;
const ROUNDS = 3;
const ROW_BYTES = 250;
const PIECE_ROWS = 1_000;
const MEMORY_LOOK_MS = 250;
const MS_PER_SECOND = 1_000;
const US_PER_SECOND = 1_000_000;
const QUIET_MS = 4_000;
const UNLIMITED = "1000000000";
const MAIN = Bun.fileURLToPath(new URL("../../src/main.ts", import.meta.url));
const FORMS = ["ndjson", "csv"] as const;
const KINDS = ["collection", "stream"] as const;

interface Stage {
  readonly database: BenchDatabase;
  readonly accountId: string;
  readonly writeKey: string;
  readonly readKey: string;
  readonly baseUrl: string;
  readonly pid: number;
  /** A page of another account's feed, and that account's key. */
  readonly otherUrl: string;
  readonly otherKey: string;
}

/** The measurements of one contender in all rounds. */
interface Found {
  readonly rates: readonly number[];
  readonly memory: number;
  readonly gatewayUs: readonly number[];
  readonly databaseUs: readonly number[];
  readonly reads: readonly OtherReads[];
}

const NOTHING: Found = { rates: [], memory: 0, gatewayUs: [], databaseUs: [], reads: [] };

let serial = 0;

export const bench: Bench = async (args) => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rows: { type: "string", default: String(ROWS) },
      rounds: { type: "string", default: String(ROUNDS) },
    },
  });
  const rows = numberOf(values.rows, "--rows");
  const rounds = numberOf(values.rounds, "--rounds");
  const database = await startBenchDatabase();
  const gateway = await startServer([process.execPath, MAIN, "serve", "--port", "0", "--json"], {
    DATABASE_URL: database.address.url,
    FEEDGATE_READ_LIMIT_PAID: UNLIMITED,
    FEEDGATE_READ_LIMIT_FREE: UNLIMITED,
    LOG_LEVEL: "error",
  });
  try {
    const baseUrl = `http://127.0.0.1:${gateway.port}`;
    const provider = await createProvider(database);
    const other = await createOther(database, baseUrl);
    const stage = { database, baseUrl, pid: gateway.pid, ...provider, ...other };
    return [
      await quiet(stage),
      ...(await imports(stage, { rows, rounds })),
      ...(await exports(stage, { rows, rounds })),
    ];
  } finally {
    await gateway.stop();
    await database.stop();
  }
};

/** Rates of imports, and of a plain COPY into the table of each kind, in turns. */
async function imports(
  stage: Stage,
  { rows, rounds }: { readonly rows: number; readonly rounds: number },
): Promise<Figures> {
  const contenders = KINDS.flatMap((kind) => [
    { name: `COPY into a ${kind}`, kind, form: undefined },
    ...FORMS.map((form) => ({ name: `import of ${form} into a ${kind}`, kind, form })),
  ]);
  const found = contenders.map(() => NOTHING);
  for (let round = 0; round < rounds; round++) {
    for (const [index, { kind, form }] of contenders.entries()) {
      const feedId = await createFeed(stage, kind);
      const work = () =>
        form === undefined
          ? copy(stage, { feedId, kind, rows })
          : importRows(stage, { feedId, form, rows });
      found[index] = await measured(stage, found[index] ?? NOTHING, { rows, work });
      await stage.database.sql.unsafe("truncate collection_rows, stream_events");
      await stage.database.sql.unsafe("checkpoint");
    }
  }
  return contenders.map(({ name, kind, form }, index) =>
    figuresOf(name, found[index] ?? NOTHING, {
      plain: found[contenders.findIndex((each) => each.kind === kind)] ?? NOTHING,
      isGateway: form !== undefined,
    }),
  );
}

/** Rates of exports of a collection, and of the database's own copy, in turns. */
async function exports(
  stage: Stage,
  { rows, rounds }: { readonly rows: number; readonly rounds: number },
): Promise<Figures> {
  const { database, baseUrl, readKey } = stage;
  const feedId = await createFeed(stage, "collection");
  await importRows(stage, { feedId, form: "ndjson", rows });
  const query = `select payload from collection_rows where feed_id = '${feedId}' order by position`;
  const contenders = [
    {
      name: "copy to stdout",
      work: async () => {
        await drained(await database.sql.unsafe(`copy (${query}) to stdout`).readable());
      },
    },
    ...FORMS.map((form) => ({
      name: `export as ${form}`,
      work: async () => {
        const headers = { "x-api-key": readKey, "accept-encoding": "identity" };
        const url = `${baseUrl}/v1/feed/${feedId}/export?format=${form}`;
        const response = await fetch(url, { headers });
        if (!response.ok || response.body === null) throw new Error(await response.text());
        await drained(response.body);
      },
    })),
  ];
  const found = contenders.map(() => NOTHING);
  for (let round = 0; round < rounds; round++) {
    // Resets the hourly limit of exports, which does not matter here.
    await database.sql.unsafe("delete from exports");
    for (const [index, { work }] of contenders.entries()) {
      found[index] = await measured(stage, found[index] ?? NOTHING, { rows, work });
    }
  }
  return contenders.map(({ name }, index) =>
    figuresOf(name, found[index] ?? NOTHING, {
      plain: found[0] ?? NOTHING,
      isGateway: index > 0,
    }),
  );
}

/** A row of figures. Rates are also compared with those of plain PostgreSQL, round by round. */
function figuresOf(
  name: string,
  { rates, memory, gatewayUs, databaseUs, reads }: Found,
  { plain, isGateway }: { readonly plain: Found; readonly isGateway: boolean },
) {
  const shares = rates.map((rate, round) => rate / (plain.rates[round] ?? Number.NaN));
  return {
    name,
    "rows/s": Math.round(median(rates)),
    "to COPY": median(shares).toFixed(2),
    "database µs/row": median(databaseUs).toFixed(1),
    "gateway µs/row": isGateway ? median(gatewayUs).toFixed(1) : "",
    "gateway MB": isGateway ? Math.round(memory) : "",
    ...readFigures(reads),
  };
}

function readFigures(reads: readonly OtherReads[]) {
  return {
    "reads' p99 ms": median(reads.map(({ p99Ms }) => p99Ms)).toFixed(1),
    refused: reads.reduce((sum, { refused }) => sum + refused, 0),
  };
}

/** Another account's reads while the gateway is otherwise idle. Its first, slow reads are not counted. */
async function quiet({ otherUrl, otherKey }: Stage) {
  const readForAWhile = async () => {
    const stop = await startReads(otherUrl, otherKey);
    await Bun.sleep(QUIET_MS);
    return stop();
  };
  await readForAWhile();
  return { name: "nothing else", ...readFigures([await readForAWhile()]) };
}

async function drained(body: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of body);
}

/** Does the work, and adds the measurements made during it. */
async function measured(
  { pid, database: { postmasterPid }, otherUrl, otherKey }: Stage,
  before: Found,
  { rows, work }: { readonly rows: number; readonly work: () => Promise<void> },
): Promise<Found> {
  let { memory } = before;
  const timer = setInterval(() => {
    memory = Math.max(memory, residentMb(pid));
  }, MEMORY_LOOK_MS);
  const stopReads = await startReads(otherUrl, otherKey);
  const usedBefore = [processorSeconds(pid), familyProcessorSeconds(postmasterPid)] as const;
  const startMs = performance.now();
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  const seconds = (performance.now() - startMs) / MS_PER_SECOND;
  const usPerRow = (used: number) => (used / rows) * US_PER_SECOND;
  return {
    memory,
    rates: [...before.rates, rows / seconds],
    gatewayUs: [...before.gatewayUs, usPerRow(processorSeconds(pid) - usedBefore[0])],
    databaseUs: [
      ...before.databaseUs,
      usPerRow(familyProcessorSeconds(postmasterPid) - usedBefore[1]),
    ],
    reads: [...before.reads, await stopReads()],
  };
}

/** Creates another account with a small feed that it reads. */
async function createOther({ sql }: BenchDatabase, baseUrl: string) {
  const made = await sql`
    insert into accounts (name, max_feeds_allowed) values ('other', 10) returning account_id`;
  const accountId: string = made[0]?.account_id;
  const [feed] = await sql`
    insert into feeds (account_id, name, endpoint_path, feed_type, call_price_nanos)
    values (${accountId}, 'other', 'other', 'collection', 0)
    returning feed_id`;
  const [writeKey, otherKey] = [
    await insertKey(sql, accountId, "write"),
    await insertKey(sql, accountId, "read"),
  ];
  const pushed = await fetch(`${baseUrl}/v1/provider/feed/${feed?.feed_id}/push`, {
    method: "POST",
    headers: { authorization: `Bearer ${writeKey}`, "content-type": "application/x-ndjson" },
    body: Array.from({ length: 50 }, (_, number) => rowText(number)).join("\n"),
  });
  if (!pushed.ok) throw new Error(await pushed.text());
  return { otherKey, otherUrl: `${baseUrl}/v1/feed/${feed?.feed_id}` };
}

async function createProvider({ sql }: BenchDatabase) {
  const made = await sql`
    insert into accounts (name, max_feeds_allowed) values ('bench', 1000) returning account_id`;
  const accountId: string = made[0]?.account_id;
  const [writeKey, readKey] = [
    await insertKey(sql, accountId, "write"),
    await insertKey(sql, accountId, "read"),
  ];
  return { accountId, writeKey, readKey };
}

async function createFeed(stage: Stage, kind: (typeof KINDS)[number]): Promise<string> {
  serial += 1;
  const [made] = await stage.database.sql`
    insert into feeds (account_id, name, endpoint_path, feed_type, call_price_nanos)
    values (${stage.accountId}, 'bench', 'bulk-' || ${serial}::int, ${kind}, 0)
    returning feed_id`;
  return made?.feed_id;
}

const TIME = "2026-01-01T00:00:00Z";

/** The text of a row. */
function rowText(number: number): string {
  const head = `{"id":"row-${number}","event_timestamp":"${TIME}","price":1.25,"text":"`;
  return `${head}${"x".repeat(ROW_BYTES - head.length - 2)}"}`;
}

function csvText(number: number): string {
  return `row-${number},${TIME},1.25,${"x".repeat(ROW_BYTES - 90)}`;
}

/** Lines in pieces of about 250 KB. */
function* pieces(rows: number, lineOf: (number: number) => string): Generator<string> {
  for (let start = 0; start < rows; start += PIECE_ROWS) {
    const count = Math.min(PIECE_ROWS, rows - start);
    yield Array.from({ length: count }, (_, at) => `${lineOf(start + at)}\n`).join("");
  }
}

async function importRows(
  { baseUrl, writeKey }: Stage,
  { feedId, form, rows }: { feedId: string; form: (typeof FORMS)[number]; rows: number },
): Promise<void> {
  const lines = form === "csv" ? pieces(rows, csvText) : pieces(rows, rowText);
  const response = await fetch(`${baseUrl}/v1/provider/feed/${feedId}/import`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${writeKey}`,
      "content-type": form === "csv" ? "text/csv" : "application/x-ndjson",
    },
    body: new ReadableStream({
      start(controller) {
        if (form === "csv") controller.enqueue(Buffer.from("id,event_timestamp,price,text\n"));
      },
      pull(controller) {
        const { done, value } = lines.next();
        if (done === true) controller.close();
        else controller.enqueue(Buffer.from(value));
      },
    }),
  });
  const text = await response.text();
  if (!text.includes(`"rows_inserted":${rows}`)) throw new Error(`import: ${text.slice(-500)}`);
}

/** Stores the same rows in the same table by one COPY, without the gateway's work. */
async function copy(
  { database: { sql } }: Stage,
  { feedId, kind, rows }: { feedId: string; kind: (typeof KINDS)[number]; rows: number },
): Promise<void> {
  const [table, columns] =
    kind === "stream"
      ? ["stream_events", "feed_id, position, row_id, event_at, payload"]
      : ["collection_rows", "feed_id, batch_number, position, row_id, payload"];
  const line = (number: number) =>
    kind === "stream"
      ? `${feedId}\t${number}\trow-${number}\t${TIME}\t${rowText(number)}`
      : `${feedId}\t1\t${number}\trow-${number}\t${rowText(number)}`;
  const writable = await sql.unsafe(`copy ${table} (${columns}) from stdin`).writable();
  for (const piece of pieces(rows, line)) {
    if (!writable.write(piece)) await new Promise((resolve) => writable.once("drain", resolve));
  }
  await new Promise<void>((resolve, reject) => {
    writable.once("error", reject);
    writable.end(() => resolve());
  });
}
