/**
 * The latency of an account's granted reads while a third party sends requests that are small to send but could be
 * expensive to handle: each of them to all routes in turn, on three connections, without a key and with a read key of
 * another account. A second without these requests alternates with a second with them. The default limits apply, so
 * most of these requests are refused. Reads and hostile requests share the client's process, whose own work is part of
 * the figures. So they compare inputs, and are not absolute.
 *
 * `bun run bench strangers [-- --turns N]`
 *
 * @module
 */
import { parseArgs } from "node:util";
import {
  BODIES,
  HEADERS,
  isOwnRoute,
  pathOf,
  QUERIES,
  receive,
} from "../support/hostile_requests.ts";
import { insertKey } from "../support/insert_key.ts";
import { type RouteOfApp, readRouteTable } from "../support/route_table.ts";
import { seedFeed } from "../support/seed.ts";
import { startServer } from "./processes.ts";
import type { Bench, Figures } from "./run.ts";
import { median, percentile, startBenchDatabase } from "./support.ts";
import { numberOf } from "./usage.ts";

const TURNS = 3;
const TURN_MS = 1_000;
const CONNECTIONS = 3;
const BALANCE_NANOS = "1000000000000";
const MAIN = Bun.fileURLToPath(new URL("../../src/main.ts", import.meta.url));

interface Call {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

interface Flood {
  readonly name: string;
  readonly calls: readonly Call[];
}

export const bench: Bench = async (args) => {
  const { values } = parseArgs({
    args: [...args],
    options: { turns: { type: "string", default: String(TURNS) } },
  });
  const turns = numberOf(values.turns, "--turns");
  const database = await startBenchDatabase();
  try {
    const { sql } = database;
    const made = await sql`
      insert into accounts (name, max_feeds_allowed, balance_nanos)
      select 'bench', 1, ${BALANCE_NANOS} from generate_series(1, 2)
      returning account_id`;
    const [accountId, strangerId] = made.map((row) => row.account_id as string);
    if (accountId === undefined || strangerId === undefined) throw new Error("no accounts");
    const rows = [{ id: 1, event_timestamp: "2026-01-01T00:00:00Z" }];
    const feed = { type: "stream", rows, isPublic: true } as const;
    const { slug } = await seedFeed(database, strangerId, feed);
    const routes = (await readRouteTable({ DATABASE_URL: database.address.url })).filter(
      isOwnRoute,
    );
    const server = await startServer([process.execPath, MAIN, "serve", "--port", "0", "--json"], {
      DATABASE_URL: database.address.url,
      FEEDGATE_READ_LIMIT_FREE: "1000000000",
      LOG_LEVEL: "error",
    });
    try {
      const baseUrl = `http://127.0.0.1:${server.port}`;
      const read = {
        method: "GET",
        url: `${baseUrl}/v1/feed/${slug}`,
        headers: { "x-api-key": await insertKey(sql, accountId, "read") },
      };
      const strangerKey = await insertKey(sql, strangerId, "read");
      const figures: Figures = [];
      for (const [caller, key] of [
        ["no key", undefined],
        ["read key", strangerKey],
      ] as const) {
        for (const flood of floodsOf(routes, { baseUrl, slug, key })) {
          figures.push({ caller, input: flood.name, ...(await measure(read, flood, turns)) });
        }
      }
      return figures;
    } finally {
      await server.stop();
    }
  } finally {
    await database.stop();
  }
};

interface Target {
  readonly baseUrl: string;
  readonly slug: string;
  readonly key: string | undefined;
}

function floodsOf(routes: readonly RouteOfApp[], { baseUrl, slug, key }: Target): Flood[] {
  const own = key === undefined ? {} : { Authorization: `Bearer ${key}` };
  const targets = routes.map((route) => ({
    method: route.method,
    url: baseUrl + pathOf(route, slug),
    headers: own,
  }));
  const withBody = targets.filter(({ method }) => method !== "GET" && method !== "HEAD");
  return [
    ...Object.entries(QUERIES).map(([name, query]) => ({
      name,
      calls: targets.map((target) => ({ ...target, url: `${target.url}?${query}` })),
    })),
    ...Object.entries(HEADERS).map(([name, headers]) => ({
      name,
      calls: targets.map((target) => ({ ...target, headers: { ...own, ...headers } })),
    })),
    ...Object.entries(BODIES).map(([name, { type, text }]) => ({
      name,
      calls: withBody.map((target) => {
        const headers = { ...own, "Content-Type": type };
        return { ...target, headers, body: text };
      }),
    })),
  ];
}

async function measure(read: Call, flood: Flood, turns: number) {
  const alone: number[] = [];
  const beside: number[] = [];
  let sent = 0;
  for (let turn = 0; turn < turns; turn++) {
    alone.push(await medianOfReads(read));
    const stop = new AbortController();
    const floods = Array.from({ length: CONNECTIONS }, (_, first) =>
      sendAll(flood, { first, stop: stop.signal }),
    );
    beside.push(await medianOfReads(read));
    stop.abort();
    for (const count of await Promise.all(floods)) sent += count;
  }
  const [aloneMs, besideMs] = [median(alone), median(beside)];
  return {
    "alone p50 ms": aloneMs.toFixed(2),
    "beside p50 ms": besideMs.toFixed(2),
    times: (besideMs / aloneMs).toFixed(1),
    "requests a second": Math.round((sent * 1_000) / (turns * TURN_MS)),
  };
}

/** The median of consecutive reads on one connection. */
async function medianOfReads(read: Call): Promise<number> {
  const times: number[] = [];
  const endMs = performance.now() + TURN_MS;
  while (performance.now() < endMs) {
    const startMs = performance.now();
    const response = await fetch(read.url, read);
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`a read was answered with ${response.status}`);
    times.push(performance.now() - startMs);
  }
  return percentile(times, 0.5);
}

async function sendAll(
  { calls }: Flood,
  { first, stop }: { readonly first: number; readonly stop: AbortSignal },
): Promise<number> {
  let sent = 0;
  for (let index = first * 7; !stop.aborted; index++) {
    const call = calls[index % calls.length];
    if (call === undefined) throw new Error("there is no route to send to");
    try {
      const response = await fetch(call.url, { ...call, signal: stop, redirect: "manual" });
      await receive(response);
      sent += 1;
    } catch (error) {
      if (!stop.aborted && !(error instanceof TypeError)) throw error;
    }
  }
  return sent;
}
