/**
 * Rows a second for pushes of 500 rows of 250 bytes, by 1 and by 8 providers, beside the same rows by
 * one SQL client (`insert … select from json_array_elements` into the same tables) and Fastify with one
 * insert a push.
 *
 * The push limit is raised by configuration; everything else is as a provider meets it.
 *
 * @module
 */
import { generateKey, hashKey, startOf } from "../../src/key/key_format.ts";
import { startServer } from "./processes.ts";
import type { Bench } from "./run.ts";
import { type BenchDatabase, median, startBenchDatabase } from "./support.ts";

const ROWS = 500;
const ROW_BYTES = 250;
const ROUNDS = 3;
const ROUND_MS = 3_000;
const MAIN = Bun.fileURLToPath(new URL("../../src/main.ts", import.meta.url));
const PEER = Bun.fileURLToPath(new URL("./peers/fastify_push.mjs", import.meta.url));
const SCHEMA = JSON.stringify({
  type: "object",
  required: ["id", "text"],
  properties: { id: { type: "string" }, text: { type: "string" }, price: { type: "number" } },
});

let serial = 0;

/** Rows with ids never used before. */
function rows(count = ROWS): Record<string, unknown>[] {
  return Array.from({ length: count }, () => {
    serial += 1;
    const row = {
      id: `row-${serial}`,
      event_timestamp: "2026-01-01T00:00:00Z",
      price: 1.25,
      text: "",
    };
    row.text = "x".repeat(ROW_BYTES - JSON.stringify(row).length);
    return row;
  });
}

interface Contender {
  readonly name: string;
  readonly providers: number;
  /** Stores 500 rows for the provider of this number. */
  readonly push: (provider: number) => Promise<void>;
}

export const bench: Bench = async () => {
  const database = await startBenchDatabase();
  const gateway = await startServer([process.execPath, MAIN, "serve", "--port", "0", "--json"], {
    DATABASE_URL: `postgres://postgres@localhost/feedgate?host=${database.socketDir}`,
    FEEDGATE_PUSH_LIMIT: "1000000",
    LOG_LEVEL: "error",
  });
  const runtime = Bun.which("node") ?? process.execPath;
  const fastify = await startServer([runtime, PEER], { SOCKET_DIR: database.socketDir });
  try {
    const base = `http://127.0.0.1:${gateway.port}`;
    const account = await createProvider(database);
    const contenders: Contender[] = [await plainSql(database, account)];
    for (const providers of [1, 8]) {
      contenders.push(fastifyInsert(fastify.port, providers));
      for (const kind of ["collection", "locked collection", "stream"] as const) {
        contenders.push(await ours(base, account, { kind, providers }));
      }
    }
    return await compare(contenders);
  } finally {
    await gateway.stop();
    await fastify.stop();
    await database.stop();
  }
};

async function compare(contenders: readonly Contender[]) {
  const found = contenders.map(() => [] as number[]);
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [index, contender] of contenders.entries()) {
      const rate = await rowsPerSecond(contender);
      // The first round warms up.
      if (round > 0) found[index]?.push(rate);
    }
  }
  const base = median(found[0] ?? []);
  return contenders.map(({ name, providers }, index) => ({
    name,
    providers,
    "rows/s": Math.round(median(found[index] ?? [])),
    ratio: (median(found[index] ?? []) / base).toFixed(2),
  }));
}

async function rowsPerSecond({ providers, push }: Contender): Promise<number> {
  const start = performance.now();
  let pushes = 0;
  await Promise.all(
    Array.from({ length: providers }, async (_, provider) => {
      while (performance.now() - start < ROUND_MS) {
        await push(provider);
        pushes += 1;
      }
    }),
  );
  return (pushes * ROWS) / ((performance.now() - start) / 1_000);
}

interface Provider {
  readonly accountId: string;
  readonly key: string;
}

async function createProvider({ sql }: BenchDatabase): Promise<Provider> {
  const key = generateKey("write");
  const made = await sql`
    insert into accounts (name, max_feeds_allowed) values ('bench', 1000) returning account_id`;
  const accountId: string = made[0]?.account_id;
  await sql`
    insert into api_keys (account_id, key_hash, key_start, permission)
    values (${accountId}, ${hashKey(key)}, ${startOf(key)}, 'write')`;
  return { accountId, key };
}

/** The same rows into the same table, by one client and without any of the gateway's work. */
async function plainSql({ sql }: BenchDatabase, { accountId }: Provider): Promise<Contender> {
  const made = await sql`
    insert into feeds (account_id, name, endpoint_path, feed_type, call_price_nanos)
    values (${accountId}, 'plain', 'plain-sql', 'collection', 0) returning feed_id`;
  const feedId: string = made[0]?.feed_id;
  return {
    name: "SQL alone",
    providers: 1,
    async push() {
      const batch = rows();
      await sql`
        insert into collection_rows (feed_id, batch_number, position, row_id, payload)
        select ${feedId}, 1, ${serial}::bigint + number, row ->> 'id', row
        from json_array_elements(${JSON.stringify(batch)}::json) with ordinality
          as rows (row, number)`;
    },
  };
}

function fastifyInsert(port: number, providers: number): Contender {
  return {
    name: "Fastify, one insert",
    providers,
    push: (provider) =>
      post(`http://127.0.0.1:${port}/push/feed-${provider}`, { payload: rows() }, {}),
  };
}

async function ours(
  base: string,
  { key }: Provider,
  { kind, providers }: { kind: "collection" | "locked collection" | "stream"; providers: number },
): Promise<Contender> {
  const headers = { Authorization: `Bearer ${key}` };
  const feedIds = await Promise.all(
    Array.from({ length: providers }, async () => {
      serial += 1;
      const response = await fetch(`${base}/v1/provider/feed/create`, {
        method: "POST",
        headers: { ...headers, "Content-Type": "application/json" },
        body: JSON.stringify({
          name: kind,
          endpoint_path: `bench-${serial}`,
          feed_type: kind === "stream" ? "stream" : "collection",
          ...(kind === "locked collection" && {
            schema_definition: JSON.parse(SCHEMA),
            schema_locked: true,
          }),
        }),
      });
      return ((await response.json()) as { id: string }).id;
    }),
  );
  return {
    name: `our ${kind}`,
    providers,
    push: (provider) =>
      post(`${base}/v1/provider/feed/${feedIds[provider]}/push`, { payload: rows() }, headers),
  };
}

async function post(url: string, body: unknown, headers: Record<string, string>): Promise<void> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status} ${text}`);
}
