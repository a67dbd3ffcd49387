/**
 * Rows per second for pushes of 500 rows of 250 bytes, by 1 and by 8 providers, durable (fsync on), compared with
 *
 * - the same rows by one SQL client: `insert … select from json_array_elements` into the same table;
 * - Fastify with one `jsonb_array_elements` insert per push, without any checks.
 *
 * All take turns in short rounds, and each ratio is the median of the rounds' ratios, which reduces the influence of
 * other load on the machine. A provider switches to its next feed after the 20 pushes per minute that a feed allows.
 * Then compares, again in turns, a push into feeds of 1,000,000 rows, filled and indexed as by pushes, with one into
 * empty feeds.
 *
 * `bun run bench push [--rounds N] [--seconds N] [--filled-rows N]`
 *
 * @module
 */
import { parseArgs } from "node:util";
import { FUNCTION_SCHEMA } from "../../src/postgres/migrate/function_set.ts";
import { insertKey } from "../support/insert_key.ts";
import { startServer } from "./processes.ts";
import type { Bench, Figures } from "./run.ts";
import { type BenchDatabase, installPeers, median, startBenchDatabase } from "./support.ts";
import { numberOf } from "./usage.ts";

const ROWS = 500;
const ROW_BYTES = 250;
const ROUNDS = 7;
const ROUND_SECONDS = 2;
const PROVIDERS = [1, 8];
const KINDS = ["collection", "locked collection", "stream"] as const;
const FILLED_KINDS = ["collection", "stream"] as const;
const PUSHES_PER_FEED = 20;
/** The feeds created before each round, more than a round can use up. */
const FEEDS_AT_HAND = 100;
const FILLED_ROWS = 1_000_000;
const FILL_CHUNK_ROWS = 100_000;
/** The size of an index step. */
const FILL_STEP_BYTES = 1_000_000;
/** Pushes into a filled feed are few in total, so that they do not start another index step. */
const FLAT_ROUNDS = 9;
const FLAT_PUSHES = 8;
const MS_PER_SECOND = 1_000;
const MAIN = Bun.fileURLToPath(new URL("../../src/main.ts", import.meta.url));
const PEER = Bun.fileURLToPath(new URL("./peers/fastify_push.mjs", import.meta.url));
const SCHEMA = JSON.stringify({
  type: "object",
  required: ["id", "text"],
  properties: { id: { type: "string" }, text: { type: "string" }, price: { type: "number" } },
});

type Kind = (typeof KINDS)[number];

/** The target of the pushes. */
interface Stage {
  readonly database: BenchDatabase;
  readonly accountId: string;
  readonly key: string;
  readonly baseUrl: string;
}

interface Contender {
  readonly name: string;
  readonly providers: number;
  /** Runs before each round. */
  readonly prepare?: () => Promise<void>;
  /** Stores 500 rows for the provider with this number. */
  readonly push: (provider: number) => Promise<void>;
}

let serial = 0;

export const bench: Bench = async (args) => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rounds: { type: "string", default: String(ROUNDS) },
      seconds: { type: "string", default: String(ROUND_SECONDS) },
      "filled-rows": { type: "string", default: String(FILLED_ROWS) },
    },
  });
  const rounds = numberOf(values.rounds, "--rounds");
  const roundMs = numberOf(values.seconds, "--seconds") * MS_PER_SECOND;
  const rows = numberOf(values["filled-rows"], "--filled-rows");
  await installPeers();
  const database = await startBenchDatabase();
  const gateway = await startServer([process.execPath, MAIN, "serve", "--port", "0", "--json"], {
    DATABASE_URL: database.address.url,
    // The filled feeds alone exceed the default of 20 per minute.
    FEEDGATE_PUSH_LIMIT: "1000",
    LOG_LEVEL: "error",
  });
  const runtime = Bun.which("node") ?? process.execPath;
  const fastify = await startServer([runtime, PEER], { SOCKET_DIR: database.socketDir });
  try {
    const baseUrl = `http://127.0.0.1:${gateway.port}`;
    const stage: Stage = { database, baseUrl, ...(await createProvider(database)) };
    const rates = await compare(
      [
        await plainSql(stage),
        ...PROVIDERS.flatMap((providers) => [
          fastifyInsert(fastify.port, providers),
          ...KINDS.map((kind) => ours(stage, { kind, providers })),
        ]),
      ],
      { rounds, roundMs },
    );
    if (rows === 0) return rates;
    const flat: Figures = [];
    for (const kind of FILLED_KINDS) flat.push(await flatness(stage, { kind, rows }));
    return [...rates, ...flat];
  } finally {
    await gateway.stop();
    await fastify.stop();
    await database.stop();
  }
};

async function compare(
  contenders: readonly Contender[],
  { rounds, roundMs }: { rounds: number; roundMs: number },
): Promise<Figures> {
  const found = contenders.map(() => [] as number[]);
  for (let round = 0; round <= rounds; round++) {
    for (const [index, contender] of contenders.entries()) {
      const rate = await rowsPerSecond(contender, roundMs);
      // The first round is a warm-up.
      if (round > 0) found[index]?.push(rate);
    }
  }
  const ratioTo = (base: number, index: number) =>
    median((found[index] ?? []).map((rate, round) => rate / (found[base]?.[round] ?? Number.NaN)));
  return contenders.map(({ name, providers }, index) => {
    const fastify = contenders.findIndex(
      (each) => each.name.startsWith("Fastify") && each.providers === providers,
    );
    return {
      name,
      providers,
      "rows/s": Math.round(median(found[index] ?? [])),
      "to SQL": ratioTo(0, index).toFixed(2),
      "to Fastify": ratioTo(fastify, index).toFixed(2),
    };
  });
}

async function rowsPerSecond(contender: Contender, roundMs: number): Promise<number> {
  const { providers, prepare, push } = contender;
  await prepare?.();
  const startMs = performance.now();
  let pushes = 0;
  await Promise.all(
    Array.from({ length: providers }, async (_, provider) => {
      while (performance.now() - startMs < roundMs) {
        await push(provider);
        pushes += 1;
      }
    }),
  );
  return (pushes * ROWS * MS_PER_SECOND) / (performance.now() - startMs);
}

/** Compares a push into a feed with this many rows with a push into an empty feed. */
async function flatness(
  stage: Stage,
  { kind, rows }: { kind: (typeof FILLED_KINDS)[number]; rows: number },
): Promise<Figures[number]> {
  const [feedId = ""] = await createFeeds(stage, kind, 1);
  await post(stage, feedId);
  await fill(stage, { kind, feedId, rows });
  const emptyMs: number[] = [];
  const filledMs: number[] = [];
  for (let round = 0; round <= FLAT_ROUNDS; round++) {
    const [freshId = ""] = await createFeeds(stage, kind, 1);
    // The first push activates the feed, and its connection may be new.
    await post(stage, freshId);
    for (let push = 0; push < FLAT_PUSHES; push++) {
      const fresh = await timed(() => post(stage, freshId));
      const filled = await timed(() => post(stage, feedId));
      if (round === 0) continue;
      emptyMs.push(fresh);
      filledMs.push(filled);
    }
  }
  return {
    name: `our ${kind} of ${rows} rows`,
    "ms a push, empty": median(emptyMs).toFixed(1),
    "ms a push, filled": median(filledMs).toFixed(1),
    "filled to empty": (median(filledMs) / median(emptyMs)).toFixed(2),
  };
}

async function timed(work: () => Promise<void>): Promise<number> {
  const startMs = performance.now();
  await work();
  return performance.now() - startMs;
}

/** Adds this many rows, and extends the filter index along with them. */
async function fill(
  { database: { sql } }: Stage,
  { kind, feedId, rows }: { kind: (typeof FILLED_KINDS)[number]; feedId: string; rows: number },
): Promise<void> {
  const startMs = performance.now();
  for (let filled = 0; filled < rows; filled += FILL_CHUNK_ROWS) {
    const count = Math.min(FILL_CHUNK_ROWS, rows - filled);
    const [feed] = await sql`
      update feeds set next_position = next_position + ${count}::int
      where feed_id = ${feedId}
      returning next_position - ${count}::int as first_position`;
    const first = feed?.first_position as bigint;
    const source = sql`
      from generate_series(${first}::bigint, ${first}::bigint + ${count}::int - 1) as number,
      json_build_object('id', 'filled-' || number, 'price', 1.25, 'text', repeat('x', 180)) as row`;
    await (kind === "stream"
      ? sql`
          insert into stream_events (feed_id, position, row_id, event_at, payload)
          select
            ${feedId}, number, 'filled-' || number,
            '2025-01-01T00:00:00Z'::timestamptz + number * interval '1 second', row
          ${source}`
      : sql`
          insert into collection_rows (feed_id, batch_number, position, row_id, payload)
          select ${feedId}, 1, number, 'filled-' || number, row
          ${source}`);
    let hasMore = true;
    while (hasMore) {
      const [indexed] = await sql`
        select ${sql(FUNCTION_SCHEMA)}.index_filter_rows(
          ${feedId}, ${kind === "stream" ? 0 : 1}, ${FILL_STEP_BYTES}
        ) as has_more`;
      hasMore = indexed?.has_more === true;
    }
  }
  await sql.unsafe("vacuum analyze collection_rows, stream_events, filter_terms");
  await sql.unsafe("checkpoint");
  const seconds = ((performance.now() - startMs) / MS_PER_SECOND).toFixed(0);
  console.log(`a ${kind} was filled with ${rows} rows in ${seconds} s`);
}

async function createProvider({ sql }: BenchDatabase): Promise<Pick<Stage, "accountId" | "key">> {
  const made = await sql`
    insert into accounts (name, max_feeds_allowed) values ('bench', 1000) returning account_id`;
  const accountId: string = made[0]?.account_id;
  return { accountId, key: await insertKey(sql, accountId, "write") };
}

/** Creates drafts as the route would. */
async function createFeeds(stage: Stage, kind: Kind, count: number): Promise<string[]> {
  const isLocked = kind === "locked collection";
  serial += 1;
  const made = await stage.database.sql`
    insert into feeds (
      account_id, name, endpoint_path, feed_type, call_price_nanos, schema_definition, schema_locked
    )
    select
      ${stage.accountId}, 'bench', 'bench-' || ${serial}::int || '-' || number,
      ${kind === "stream" ? "stream" : "collection"}, 0, ${isLocked ? SCHEMA : null}, ${isLocked}
    from generate_series(1, ${count}::int) as number
    returning feed_id`;
  return made.map((row) => row.feed_id);
}

/** JSON texts of rows with new ids. */
function rowTexts(): string[] {
  return Array.from({ length: ROWS }, () => {
    serial += 1;
    const head = `{"id":"row-${serial}","event_timestamp":"2026-01-01T00:00:00Z","price":1.25,"text":"`;
    return `${head}${"x".repeat(ROW_BYTES - head.length - 2)}"}`;
  });
}

/** Stores the same rows in the same table by one client, without the gateway's work. */
async function plainSql(stage: Stage): Promise<Contender> {
  const { sql } = stage.database;
  const [feedId = ""] = await createFeeds(stage, "collection", 1);
  return {
    name: "SQL alone",
    providers: 1,
    async push() {
      await sql`
        insert into collection_rows (feed_id, batch_number, position, row_id, payload)
        select ${feedId}, 1, ${serial}::bigint + number, row ->> 'id', row
        from json_array_elements(${`[${rowTexts().join(",")}]`}::json) with ordinality
          as rows (row, number)`;
    },
  };
}

function fastifyInsert(port: number, providers: number): Contender {
  return {
    name: "Fastify, one insert",
    providers,
    push: (provider) => send(`http://127.0.0.1:${port}/push/feed-${provider}`, {}),
  };
}

function ours(stage: Stage, { kind, providers }: { kind: Kind; providers: number }): Contender {
  const unused: string[] = [];
  const current: { feedId: string; pushes: number }[] = [];
  return {
    name: `our ${kind}`,
    providers,
    async prepare() {
      const missing = FEEDS_AT_HAND - unused.length;
      if (missing > 0) unused.push(...(await createFeeds(stage, kind, missing)));
    },
    async push(provider) {
      let feed = current[provider];
      if (feed === undefined || feed.pushes === PUSHES_PER_FEED) {
        const feedId = unused.pop();
        if (feedId === undefined) throw new Error("there are too few feeds for one round");
        feed = { feedId, pushes: 0 };
        current[provider] = feed;
      }
      feed.pushes += 1;
      await post(stage, feed.feedId);
    },
  };
}

function post({ baseUrl, key }: Stage, feedId: string): Promise<void> {
  return send(`${baseUrl}/v1/provider/feed/${feedId}/push`, { Authorization: `Bearer ${key}` });
}

/** Pushes 500 new rows. */
async function send(url: string, headers: Record<string, string>): Promise<void> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: `{"payload":[${rowTexts().join(",")}]}`,
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status} ${text}`);
}
