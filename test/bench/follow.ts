/**
 * Followers of streams, durable (fsync on). Measures the time from the response to a push to the receipt of its event,
 * with 1,000 followers of 100 streams by server-sent events, on the process that accepted the push and on another. Also
 * measures the cost of 10,000 idle followers, and how fast a follower catches up, compared with reading by cursor.
 *
 * `bun run bench follow [-- --seconds N] [--idle N] [--events N]`
 *
 * @module
 */
import { parseArgs } from "node:util";
import type { Socket } from "bun";
import { WAITS_PER_ACCOUNT_MAX } from "../../src/limits.ts";
import { insertKey, insertKeys } from "../support/insert_key.ts";
import { fillStreams } from "./fill.ts";
import {
  familyProcessorSeconds,
  processorSeconds,
  residentMb,
  type ServerProcess,
  startServer,
} from "./processes.ts";
import type { Bench, Figures } from "./run.ts";
import { type BenchDatabase, percentile, startBenchDatabase } from "./support.ts";
import { numberOf } from "./usage.ts";

const STREAMS = 100;
const FOLLOWERS = 1_000;
const SECONDS = 30;
const IDLE = 10_000;
const EVENTS = 1_000_000;
/**
 * The interval between two pushes. Each stream gets one every 2.5 seconds, because followers are notified at most once
 * a second.
 */
const PUSH_EVERY_MS = 25;
/** Connections that are opened at the same time. */
const OPEN_AT_ONCE = 100;
/** Time for the initial work of a connection to end. */
const SETTLE_MS = 20_000;
const CATCH_UP_PAGES = 2_000;
const UNLIMITED = "1000000000";
const MAIN = Bun.fileURLToPath(new URL("../../src/main.ts", import.meta.url));

interface Scene {
  readonly database: BenchDatabase;
  readonly writeKey: string;
  /** One key for each of the accounts that the idle followers need. */
  readonly keys: readonly string[];
  readonly feedIds: readonly string[];
}

/** When each event was acknowledged, and when each follower received it. */
interface Times {
  readonly answeredMs: number[];
  readonly receipts: { readonly event: number; readonly ms: number }[];
}

export const bench: Bench = async (args) => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seconds: { type: "string", default: String(SECONDS) },
      idle: { type: "string", default: String(IDLE) },
      events: { type: "string", default: String(EVENTS) },
    },
  });
  const seconds = numberOf(values.seconds, "--seconds");
  const idle = numberOf(values.idle, "--idle");
  const events = numberOf(values.events, "--events");
  const database = await startBenchDatabase();
  try {
    const accounts = Math.ceil(Math.max(idle, FOLLOWERS) / WAITS_PER_ACCOUNT_MAX);
    const scene = await setScene(database, accounts);
    const figures = [
      ...(seconds > 0 ? await measureDelivery(scene, seconds) : []),
      ...(idle > 0 ? await measureIdle(scene, { idle, seconds: 2 * SECONDS }) : []),
      ...(events > 0 ? await measureCatchUp(scene, events) : []),
    ];
    return figures;
  } finally {
    await database.stop();
  }
};

function startGateway({ database }: Scene): Promise<ServerProcess> {
  return startServer([process.execPath, MAIN, "serve", "--port", "0", "--json"], {
    DATABASE_URL: database.address.url,
    FEEDGATE_READ_LIMIT_FREE: UNLIMITED,
    FEEDGATE_READ_LIMIT_PAID: UNLIMITED,
    FEEDGATE_PUSH_LIMIT: UNLIMITED,
    FEEDGATE_DATABASE_MS: UNLIMITED,
    LOG_LEVEL: "warn",
  });
}

async function setScene(database: BenchDatabase, accounts: number): Promise<Scene> {
  const { sql } = database;
  const made = await sql`
    insert into accounts (name, max_feeds_allowed, balance_nanos)
    select 'bench', 0, 1000000000000 from generate_series(0, ${accounts}::int)
    returning account_id`;
  const [ownerId = "", ...accountIds] = made.map((row) => row.account_id as string);
  const writeKey = await insertKey(sql, ownerId, "write");
  const keys = await insertKeys(sql, accountIds, "read");
  const feeds = await sql`
    insert into feeds (
      account_id, name, endpoint_path, feed_type, status, first_pushed_at, last_sync_at, price_type,
      call_price_nanos, data_version, push_count, next_position
    )
    select
      ${ownerId}::uuid, 'Bench stream ' || number, 'bench-' || number, 'stream',
      'active', now(), now(), 'metered', 1000, 1, 1, 1
    from generate_series(1, ${STREAMS}::int) as number
    returning feed_id`;
  await sql.unsafe("vacuum analyze");
  return { database, writeKey, keys, feedIds: feeds.map((row) => row.feed_id as string) };
}

/** Opens followers of all streams in turn, with as many accounts as they need. */
async function openFollowers(
  { keys, feedIds }: Scene,
  { port, count, tell }: { port: number; count: number; tell: (text: string) => void },
): Promise<{ close(): void }> {
  const sockets: Socket[] = [];
  const open = async (place: number) => {
    const key = keys[Math.floor(place / WAITS_PER_ACCOUNT_MAX)];
    const path = `/v1/feed/${feedIds[place % STREAMS]}/stream?offset=now&live=sse`;
    const opened = Promise.withResolvers<void>();
    sockets.push(
      await Bun.connect({
        hostname: "127.0.0.1",
        port,
        socket: {
          open: (socket) => {
            socket.write(`GET ${path} HTTP/1.1\r\nHost: bench\r\nx-api-key: ${key}\r\n\r\n`);
          },
          data(_, bytes) {
            const text = bytes.toString("latin1");
            if (text.startsWith("HTTP/") && !text.startsWith("HTTP/1.1 200")) {
              opened.reject(new Error(text));
            }
            // The starting offset: from here on, the follower waits.
            if (text.includes("id: ")) opened.resolve();
            if (text.includes("event: ")) tell(text);
          },
          close: () => opened.reject(new Error("a follower was closed")),
        },
      }),
    );
    await opened.promise;
  };
  for (let first = 0; first < count; first += OPEN_AT_ONCE) {
    const places = Array.from(
      { length: Math.min(OPEN_AT_ONCE, count - first) },
      (_, index) => first + index,
    );
    await Promise.all(places.map(open));
  }
  return {
    close() {
      for (const socket of sockets) socket.terminate();
    },
  };
}

async function measureDelivery(scene: Scene, seconds: number): Promise<Figures> {
  const [own, other] = [await startGateway(scene), await startGateway(scene)];
  try {
    const figures: Figures = [];
    for (const [where, gateway] of [
      ["the same process", own],
      ["another process", other],
    ] as const) {
      const times: Times = { answeredMs: [], receipts: [] };
      const followers = await openFollowers(scene, {
        port: gateway.port,
        count: FOLLOWERS,
        tell(text) {
          const ms = performance.now();
          for (const [, event] of text.matchAll(/"event":(\d+)/g)) {
            times.receipts.push({ event: Number(event), ms });
          }
        },
      });
      // The first rounds warm up caches and compiler.
      await pushAll(scene, { port: own.port, seconds: seconds / 2, times });
      times.receipts.length = 0;
      const first = times.answeredMs.length;
      await pushAll(scene, { port: own.port, seconds, times });
      await Bun.sleep(1_000);
      followers.close();
      const pushes = times.answeredMs.length - first;
      const late = times.receipts
        .filter(({ event }) => event >= first)
        .map(({ event, ms }) => ms - (times.answeredMs[event] as number));
      figures.push({
        measured: `from a push's answer to the receipt, ${where}`,
        "p50 ms": shown(percentile(late, 0.5)),
        "p99 ms": shown(percentile(late, 0.99)),
        note: `${late.length} receipts of ${(pushes * FOLLOWERS) / STREAMS}`,
      });
    }
    return figures;
  } finally {
    await Promise.all([own.stop(), other.stop()]);
  }
}

async function pushAll(
  { feedIds, writeKey }: Scene,
  { port, seconds, times }: { port: number; seconds: number; times: Times },
): Promise<void> {
  const startMs = performance.now();
  const pushes = Math.round((seconds * 1_000) / PUSH_EVERY_MS);
  for (let count = 0; count < pushes; count++) {
    const event = times.answeredMs.length;
    const url = `http://127.0.0.1:${port}/v1/provider/feed/${feedIds[event % STREAMS]}/push`;
    const response = await fetch(url, {
      method: "POST",
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${writeKey}` },
      body: `[{"id":"${crypto.randomUUID()}","event":${event}}]`,
    });
    times.answeredMs.push(performance.now());
    if (response.status !== 200) throw new Error(await response.text());
    await Bun.sleep(Math.max(0, startMs + (count + 1) * PUSH_EVERY_MS - performance.now()));
  }
}

async function measureIdle(
  scene: Scene,
  { idle, seconds }: { idle: number; seconds: number },
): Promise<Figures> {
  const gateway = await startGateway(scene);
  const { postmasterPid } = scene.database;
  try {
    await Bun.sleep(2_000);
    const before = residentMb(gateway.pid);
    const startMs = performance.now();
    const followers = await openFollowers(scene, {
      port: gateway.port,
      count: idle,
      tell(text) {
        throw new Error(text);
      },
    });
    const openedMs = performance.now() - startMs;
    await Bun.sleep(SETTLE_MS);
    const used = {
      gateway: processorSeconds(gateway.pid),
      all: familyProcessorSeconds(postmasterPid),
    };
    await Bun.sleep(seconds * 1_000);
    const share = (now: number, then: number) => `${shown((100 * (now - then)) / seconds)} %`;
    const figures = [
      {
        measured: `${idle} followers that wait`,
        "MB more": shown(residentMb(gateway.pid) - before),
        "of a core": share(processorSeconds(gateway.pid), used.gateway),
        "of a core, PostgreSQL": share(familyProcessorSeconds(postmasterPid), used.all),
        note: `opened in ${shown(openedMs / 1_000)} s`,
      },
    ];
    followers.close();
    return figures;
  } finally {
    await gateway.stop();
  }
}

async function measureCatchUp(scene: Scene, events: number): Promise<Figures> {
  const { database, keys } = scene;
  await fillStreams(database, { rows: events, rowsPerStream: events });
  await database.sql.unsafe("vacuum analyze");
  const gateway = await startGateway(scene);
  const pages = Math.min(CATCH_UP_PAGES, Math.floor(events / 200));
  /** Continues where the last walk ended, because earlier pages are cached. */
  const walker = (path: string, next: (body: Record<string, string>) => string) => {
    let query = "";
    return async () => {
      const startMs = performance.now();
      for (let page = 0; page < pages; page++) {
        const url = `http://127.0.0.1:${gateway.port}/v1/feed/filled-1${path}?limit=100${query}`;
        const response = await fetch(url, { headers: { "x-api-key": keys[0] as string } });
        if (response.status !== 200) throw new Error(await response.text());
        query = next((await response.json()) as Record<string, string>);
      }
      return (pages * 1_000) / (performance.now() - startMs);
    };
  };
  try {
    const follow = walker("/stream", (body) => `&offset=${body.next_offset}`);
    const read = walker("", (body) => `&cursor=${body.next_cursor}`);
    await follow();
    await read();
    const [followed, walked] = [await follow(), await read()];
    return [
      {
        measured: `a follower behind by ${events} events`,
        "pages a second": shown(followed),
        "by cursor": shown(walked),
        note: `${shown(100 * followed)} events a second`,
      },
    ];
  } finally {
    await gateway.stop();
  }
}

function shown(value: number): number {
  return Number(value.toPrecision(3));
}
