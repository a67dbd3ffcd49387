/**
 * Ten times the clients that one gateway can serve: good answers a second against the peak, how long
 * good and refused answers take, and the gateway's memory. Database, gateway and clients share the
 * machine; every page is another, so nothing is answered from memory alone.
 *
 * A polite client waits for as long as `Retry-After` says; a rude one asks again at once.
 *
 * @module
 */
import { readFileSync } from "node:fs";
import type { Socket } from "bun";
import { generateKey, hashKey, startOf } from "../../src/key/key_format.ts";
import type { TestGateway } from "../support/gateway.ts";
import { seedFeed } from "../support/seed.ts";
import type { Bench } from "./run.ts";
import { percentile, startBenchDatabase } from "./support.ts";

const PEAK_CONNECTIONS = 256;
const OVERLOAD = 10;
const SECONDS = 6;
/** So many that no window grows long, as none does with the limits of a deployment. */
const ACCOUNTS = 20_000;
const PAGES = 2_000;
const MAIN = new URL("../../src/main.ts", import.meta.url).pathname;

interface Load {
  readonly port: number;
  readonly connections: number;
  readonly isPolite: boolean;
  readonly keys: readonly string[];
  readonly path: string;
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

export const bench: Bench = async () => {
  const database = await startBenchDatabase();
  const { sql, address } = database;
  const keys = Array.from({ length: ACCOUNTS }, () => generateKey("read"));
  const accounts = await sql`
    insert into accounts (name, max_feeds_allowed)
    select 'Reader', 1 from generate_series(1, ${ACCOUNTS})
    returning account_id`;
  await sql`
    insert into api_keys (account_id, key_hash, key_start, permission)
    select account_id, decode(hash, 'hex'), start, 'read'
    from unnest(
      ${accounts.map((row) => row.account_id as string)}::uuid[],
      ${keys.map((key) => Buffer.from(hashKey(key)).toString("hex"))}::text[],
      ${keys.map(startOf)}::text[]
    ) as given (account_id, hash, start)`;
  const rows = Array.from({ length: PAGES }, (_, id) => ({ id, name: `row ${id}` }));
  const scene = { sql } as unknown as TestGateway;
  const feed = await seedFeed(scene, accounts[0]?.account_id, { type: "collection", rows });
  const {
    host,
    user,
    port: databasePort,
  } = address as { host: string; user: string; port: number };
  const url = `postgres://${user}@localhost:${databasePort}/feedgate?host=${encodeURIComponent(host)}`;
  const gateway = Bun.spawn([process.execPath, MAIN, "serve", "--port", "0", "--json"], {
    env: {
      ...process.env,
      DATABASE_URL: url,
      LOG_LEVEL: "error",
      FEEDGATE_READ_LIMIT_FREE: "1000000",
    },
    stdout: "pipe",
    stderr: "inherit",
  });
  const { value } = await gateway.stdout.getReader().read();
  const { port } = JSON.parse(new TextDecoder().decode(value)) as { port: number };
  const load = { port, keys, path: `/v1/feed/${feed.feedId}` };
  const memory = () => Number(/VmRSS:\s+(\d+)/.exec(status(gateway.pid))?.[1] ?? 0) / 1_024;
  try {
    await run({ ...load, connections: PEAK_CONNECTIONS, isPolite: true });
    const figures = [];
    for (const [clients, connections, isPolite] of [
      ["peak", PEAK_CONNECTIONS, true],
      ["ten times, polite", PEAK_CONNECTIONS * OVERLOAD, true],
      ["ten times, rude", PEAK_CONNECTIONS * OVERLOAD, false],
      ["peak again", PEAK_CONNECTIONS, true],
    ] as const) {
      const counted = await run({ ...load, connections, isPolite });
      figures.push({
        clients,
        connections,
        "good/s": Math.round(counted.good / SECONDS),
        "refused/s": Math.round(counted.refused / SECONDS),
        other: counted.other,
        failed: counted.failed,
        "good p50 ms": Math.round(counted.goodP50),
        "good p99 ms": Math.round(counted.goodP99),
        "refused p99 ms": Math.round(counted.refusedP99),
        "memory MB": Math.round(memory()),
      });
    }
    return figures;
  } finally {
    gateway.kill("SIGTERM");
    await gateway.exited;
    await database.stop();
  }
};

function status(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/status`, "utf8");
  } catch {
    return "";
  }
}

/** From a process of its own. */
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

async function generate({ port, connections, isPolite, keys, path }: Load): Promise<Counted> {
  const good: number[] = [];
  const refused: number[] = [];
  let other = 0;
  let failed = 0;
  let isOver = false;
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
    if (code === "200") good.push(ms);
    else if (code === "503") refused.push(ms);
    else other += 1;
    const seconds = Number(/\r\nretry-after: (\d+)/i.exec(text)?.[1] ?? 0);
    if (code !== "503" || !isPolite) send(socket);
    else setTimeout(send, seconds * 1_000 * (1 + Math.random()), socket);
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
  await Bun.sleep(SECONDS * 1_000);
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
