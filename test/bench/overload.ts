/**
 * Ten times as many clients as bring one gateway to its peak: successful responses per second as a share of the peak,
 * latencies of successful and refused responses, and the gateway's memory. Database, gateway, and clients share the
 * machine. Every page is different, so no response comes only from memory.
 *
 * A polite client waits for the time in `Retry-After`, a rude one retries immediately. Peak and overload are measured
 * in turns, and each ratio is the median of the rounds' ratios, which reduces the influence of other load on the
 * machine. Ends with the targets, and whether they were met.
 *
 * `bun run bench overload [-- --rounds N] [--seconds N]`
 *
 * @module
 */
import { parseArgs } from "node:util";
import type { Socket } from "bun";
import { insertKeys } from "../support/insert_key.ts";
import { seedFeed } from "../support/seed.ts";
import { processorSeconds, residentMb, startServer } from "./processes.ts";
import type { Bench } from "./run.ts";
import { type BenchDatabase, median, percentile, startBenchDatabase } from "./support.ts";
import { numberOf } from "./usage.ts";

/** Enough to bring a gateway to its peak on two cores. More would only wait longer. */
const PEAK_CONNECTIONS = 1_024;
const OVERLOAD = 10;
/** Not measured, because all clients start at once. */
const START_SECONDS = 2;
/** So many that windows stay short, as with the limits of a deployment. */
const ACCOUNTS = 20_000;
const PAGES = 2_000;
const MAIN = Bun.fileURLToPath(new URL("../../src/main.ts", import.meta.url));
/** The targets under overload: the minimum share of the peak, and the maximum latency. */
const GOOD_SHARE_MIN = 0.8;
const GOOD_P99_MS_MAX = 1_000;
/** With ten thousand connections. At 256, `bench memory` has a lower limit. */
const MEMORY_MB_MAX = 512;

const KINDS = [
  { clients: "peak", connections: PEAK_CONNECTIONS, isPolite: true },
  { clients: "ten times, polite", connections: PEAK_CONNECTIONS * OVERLOAD, isPolite: true },
  { clients: "ten times, rude", connections: PEAK_CONNECTIONS * OVERLOAD, isPolite: false },
] as const;

interface Load {
  readonly port: number;
  readonly connections: number;
  readonly isPolite: boolean;
  readonly keys: readonly string[];
  readonly path: string;
  readonly seconds: number;
}

interface Counted {
  readonly good: number;
  readonly refused: number;
  readonly other: number;
  readonly failed: number;
  readonly goodP50: number;
  readonly goodP99: number;
  readonly refusedP99: number;
}

interface Sample extends Counted {
  readonly clients: string;
  readonly connections: number;
  readonly round: number;
  readonly memoryMb: number;
  /** Processor time of the gateway, in seconds. */
  readonly gatewaySeconds: number;
}

export const bench: Bench = async (args) => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rounds: { type: "string", default: "3" },
      seconds: { type: "string", default: "5" },
    },
  });
  const seconds = numberOf(values.seconds, "--seconds");
  const rounds = numberOf(values.rounds, "--rounds");
  const database = await startBenchDatabase();
  const { keys, feedId } = await seed(database);
  const gateway = await startServer([process.execPath, MAIN, "serve", "--port", "0", "--json"], {
    DATABASE_URL: database.address.url,
    LOG_LEVEL: "error",
    FEEDGATE_READ_LIMIT_FREE: "1000000",
  });
  const load = { port: gateway.port, keys, path: `/v1/feed/${feedId}`, seconds };
  try {
    await run({ ...load, ...KINDS[0] });
    const samples: Sample[] = [];
    for (let round = 0; round < rounds; round++) {
      for (const kind of KINDS) {
        const beforeSeconds = processorSeconds(gateway.pid);
        const counted = await run({ ...load, ...kind });
        const gatewaySeconds = processorSeconds(gateway.pid) - beforeSeconds;
        const memoryMb = residentMb(gateway.pid);
        samples.push({ ...counted, ...kind, round, memoryMb, gatewaySeconds });
      }
    }
    const figures = KINDS.map(({ clients }) => figuresOf(samples, clients, seconds));
    for (const line of verdictOf(figures)) console.log(line);
    return figures;
  } finally {
    await gateway.stop();
    await database.stop();
  }
};

/** Creates many accounts with a key each, and one feed with many rows. */
async function seed(database: BenchDatabase) {
  const { sql } = database;
  const accounts = await sql`
    insert into accounts (name, max_feeds_allowed)
    select 'Reader', 1 from generate_series(1, ${ACCOUNTS})
    returning account_id`;
  const accountIds = accounts.map((row) => row.account_id as string);
  const keys = await insertKeys(sql, accountIds, "read");
  const rows = Array.from({ length: PAGES }, (_, id) => ({ id, name: `row ${id}` }));
  const feed = await seedFeed({ sql }, accounts[0]?.account_id, { type: "collection", rows });
  await sql.unsafe("vacuum analyze");
  return { keys, feedId: feed.feedId };
}

function figuresOf(samples: readonly Sample[], clients: string, seconds: number) {
  const own = samples.filter((each) => each.clients === clients);
  const middle = (of: (each: Sample) => number) => median(own.map(of));
  const goodOfPeak = middle((each) => {
    const peak = samples.find((other) => other.clients === "peak" && other.round === each.round);
    return each.good / (peak?.good ?? Number.NaN);
  });
  return {
    clients,
    connections: own[0]?.connections ?? 0,
    "good/s": Math.round(middle(({ good }) => good / seconds)),
    "good of peak": Number(goodOfPeak.toFixed(2)),
    "gateway µs": Math.round(
      middle(
        ({ good, gatewaySeconds }) =>
          ((gatewaySeconds * seconds) / (seconds + START_SECONDS) / good) * 1e6,
      ),
    ),
    "refused/s": Math.round(middle(({ refused }) => refused / seconds)),
    "good p50 ms": Math.round(middle(({ goodP50 }) => goodP50)),
    "good p99 ms": Math.round(middle(({ goodP99 }) => goodP99)),
    "refused p99 ms": Math.round(middle(({ refusedP99 }) => refusedP99)),
    "memory MB": Math.round(Math.max(...own.map(({ memoryMb }) => memoryMb))),
    "neither 200 nor 503": own.reduce((sum, { other }) => sum + other, 0),
    "cut off": own.reduce((sum, { failed }) => sum + failed, 0),
  };
}

/** One line per target, with the result and whether it was met. */
function verdictOf(figures: readonly ReturnType<typeof figuresOf>[]): string[] {
  const overloaded = figures.filter(({ clients }) => clients !== "peak");
  const peakUs = figures.find(({ clients }) => clients === "peak")?.["gateway µs"] ?? 0;
  return overloaded.flatMap((each) => {
    const line = (what: string, is: number, isHeld: boolean) =>
      `${isHeld ? "holds" : "MISSED"}: ${each.clients}: ${what}: ${is}`;
    const [good, p99] = [each["good of peak"], each["good p99 ms"]];
    const memory = each["memory MB"];
    const odd = each["neither 200 nor 503"] + each["cut off"];
    const byTime = Number((peakUs / each["gateway µs"]).toFixed(2));
    return [
      line(`good answers of the peak's, at least ${GOOD_SHARE_MIN}`, good, good >= GOOD_SHARE_MIN),
      line("the same by the gateway's processor time", byTime, byTime >= GOOD_SHARE_MIN),
      line(`p99 of good answers in ms, under ${GOOD_P99_MS_MAX}`, p99, p99 < GOOD_P99_MS_MAX),
      line(`resident MB, under ${MEMORY_MB_MAX}`, memory, memory < MEMORY_MB_MAX),
      line("answers that are neither 200 nor 503, or none, 0", odd, odd === 0),
    ];
  });
}

/** In a separate process. */
async function run(load: Load): Promise<Counted> {
  const child = Bun.spawn([process.execPath, import.meta.path], {
    stdin: new Blob([JSON.stringify(load)]),
    stdout: "pipe",
    stderr: "inherit",
  });
  return JSON.parse(await new Response(child.stdout).text()) as Counted;
}

interface Exchange {
  sentMs: number;
  received: string;
}

async function generate(load: Load): Promise<Counted> {
  const { port, connections, isPolite, keys, path, seconds } = load;
  const good: number[] = [];
  const refused: number[] = [];
  let other = 0;
  let failed = 0;
  let isOver = false;
  let countFromMs = Number.POSITIVE_INFINITY;
  const any = (most: number) => Math.floor(Math.random() * most);

  function send(socket: Socket<Exchange>): void {
    if (isOver) return;
    socket.data.sentMs = performance.now();
    const target = `${path}?limit=5&offset=${any(PAGES)}`;
    socket.write(
      `GET ${target} HTTP/1.1\r\nHost: localhost\r\nx-api-key: ${keys[any(keys.length)]}\r\n\r\n`,
    );
  }
  function answered(socket: Socket<Exchange>, text: string): void {
    const ms = performance.now() - socket.data.sentMs;
    const code = text.slice(9, 12);
    const isCounted = performance.now() >= countFromMs;
    if (code === "200") isCounted && good.push(ms);
    else if (code === "503") isCounted && refused.push(ms);
    else other += 1;
    const waitSeconds = Number(/\r\nretry-after: (\d+)/i.exec(text)?.[1] ?? 0);
    if (code !== "503" || !isPolite) send(socket);
    else setTimeout(send, waitSeconds * 1_000 * (1 + Math.random()), socket);
  }
  const open = () =>
    Bun.connect<Exchange>({
      hostname: "127.0.0.1",
      port,
      data: { sentMs: 0, received: "" },
      socket: {
        open: send,
        data(socket, bytes) {
          socket.data.received += bytes.toString("latin1");
          const text = socket.data.received;
          const headEnd = text.indexOf("\r\n\r\n");
          const length = /\r\ncontent-length: (\d+)/i.exec(text)?.[1] ?? 0;
          if (headEnd < 0 || text.length < headEnd + 4 + Number(length)) return;
          socket.data.received = "";
          answered(socket, text);
        },
        close() {
          if (isOver) return;
          failed += 1;
          open().catch(() => {});
        },
      },
    });
  await Promise.all(Array.from({ length: connections }, open));
  countFromMs = performance.now() + START_SECONDS * 1_000;
  await Bun.sleep((START_SECONDS + seconds) * 1_000);
  isOver = true;
  return {
    good: good.length,
    refused: refused.length,
    other,
    failed,
    goodP50: percentile(good, 0.5),
    goodP99: percentile(good, 0.99),
    refusedP99: percentile(refused, 0.99),
  };
}

if (import.meta.main) {
  console.log(JSON.stringify(await generate((await Bun.stdin.json()) as Load)));
  process.exit(0);
}
