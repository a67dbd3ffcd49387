/**
 * What one request may cost, whoever sends it: every route of the app with inputs that are small to send and
 * could be expensive to handle. `bun run test` sends a few of them to each route, `bun run fuzz` all.
 *
 * Measured is the processor time of the thread that the gateway and this client share, so a busy machine changes
 * little, and the bound leaves room for the client's part.
 *
 * @module
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { startTestGateway, type TestGateway } from "../../support/gateway.ts";
import { insertAdminKey } from "../../support/insert_key.ts";
import { type RouteOfApp, readRouteTable } from "../../support/route_table.ts";
import { seedFeed } from "../../support/seed.ts";
import { threadMs } from "../../support/thread_time.ts";

/** `bun run fuzz` sets it. */
const IS_WHOLE = process.env.FUZZ_CASES !== undefined;
/** The rule: 20 ms, and 2 ms for each 16 KB of the body. */
const REQUEST_MS_MAX = 20;
const BODY_MS_MAX = 2;
const BODY_BYTES = 16 * 1_024;
/** The client, compilation and garbage collection run on the same thread. */
const SLACK = 2;
/** The cheapest try counts: compilation and garbage collection fall on any of them. */
const TRIES = 4;
const QUERY_CHARS = 14_000;
const BODY_CHARS = 1_000_000;

const QUERIES: Readonly<Record<string, string>> = {
  "one name, repeated": "a&".repeat(QUERY_CHARS / 2),
  "one declared name, repeated": "limit=1&".repeat(QUERY_CHARS / 8),
  "many names": Array.from({ length: 2_800 }, (_, n) => n.toString(36)).join("&"),
  "percent escapes": `q=${"%61".repeat(QUERY_CHARS / 3)}`,
  commas: `ids=${",".repeat(QUERY_CHARS)}`,
};

const BODIES: Readonly<Record<string, { readonly type: string; readonly text: string }>> = {
  "many names": json(namesOf(90_000)),
  "very many names": json(namesOf(180_000)),
  "a tool's many names": json(
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read_feed","arguments":${namesOf(80_000)}}}`,
  ),
  "deep nesting": json("[".repeat(BODY_CHARS / 2) + "]".repeat(BODY_CHARS / 2)),
  "a long number": json(`{"id":1,"params":{"n":${"9".repeat(BODY_CHARS)}}}`),
  "a long text": json(`{"name":"${"x".repeat(BODY_CHARS)}"}`),
  "a form of many names": form(Array.from({ length: 4_000 }, (_, n) => n.toString(36)).join("&")),
  "a form of one name": form("a&".repeat(8_000)),
};

const HEADERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "a hundred headers": Object.fromEntries(
    Array.from({ length: 100 }, (_, n) => [`x-h${n}`, "v".repeat(100)]),
  ),
  "a list of types": { Accept: "text/html;q=0.1,".repeat(500) },
  "a list of tags": { "If-None-Match": 'W/"a",'.repeat(1_500) },
  "a list of codings": { "Accept-Encoding": "gzip;q=0.1,".repeat(700) },
  "a list of preferences": { Prefer: "wait=1,".repeat(1_000) },
};

function namesOf(count: number): string {
  return `{${Array.from({ length: count }, (_, n) => `"f${n}":0`).join(",")}}`;
}

function json(text: string) {
  return { type: "application/json", text };
}

function form(text: string) {
  return { type: "application/x-www-form-urlencoded", text };
}

const ENVIRONMENT = {
  FEEDGATE_PUSH_LIMIT: "100000",
  FEEDGATE_DISCOVERY_LIMIT: "100000",
  FEEDGATE_READ_LIMIT_FREE: "100000",
};

let gateway: TestGateway;
let routes: readonly RouteOfApp[];
let adminKey: string;

beforeAll(async () => {
  gateway = await startTestGateway(ENVIRONMENT);
  adminKey = (await insertAdminKey(gateway)).key;
  const table = await readRouteTable({ DATABASE_URL: gateway.databaseUrl });
  routes = table.filter(
    ({ method, path }) =>
      /^[A-Z]+$/.test(method) && !path.startsWith("/api/v1") && method !== "ALL",
  );
});
afterAll(() => gateway.stop());

interface Sent {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Processor time of the cheapest of a few tries, and the last status. */
async function costOf({ method, url, headers, body }: Sent) {
  let leastMs = Number.POSITIVE_INFINITY;
  let status = 0;
  const maxMs = allowedMs(body);
  for (let tried = 0; tried < TRIES && leastMs > maxMs; tried++) {
    const beforeMs = threadMs();
    const response = await fetch(url, {
      method,
      headers,
      redirect: "manual",
      ...(body !== undefined && { body }),
    });
    await response.arrayBuffer();
    leastMs = Math.min(leastMs, threadMs() - beforeMs);
    ({ status } = response);
  }
  return { ms: leastMs, maxMs, status };
}

function allowedMs(body = ""): number {
  return SLACK * (REQUEST_MS_MAX + (BODY_MS_MAX * body.length) / BODY_BYTES);
}

/** No credential, and one of each kind; of an account of its own, so that no limit answers in their place. */
async function credentials(): Promise<{ slug: string; keys: (string | undefined)[] }> {
  const accountId = await gateway.createAccount({ credits: 1_000_000 });
  const rows = [{ id: 1, event_timestamp: "2026-01-01T00:00:00Z" }];
  const { slug } = await seedFeed(gateway, accountId, { type: "stream", rows, isPublic: true });
  return {
    slug,
    keys: [
      undefined,
      await gateway.createKey(accountId, "read"),
      await gateway.createKey(accountId, "write"),
      adminKey,
    ],
  };
}

/** In a short run each route gets some of the inputs, others than its neighbours. */
function share<Item>(items: readonly Item[], index: number): readonly Item[] {
  return IS_WHOLE ? items : [items[index % items.length] as Item];
}

function pathOf({ path, method }: RouteOfApp, slug: string): string {
  // Whatever is deleted is needed by the calls that follow.
  const own = method === "DELETE" ? crypto.randomUUID() : slug;
  return path.replace(/:(id|feed_id|slug)\b/, own).replaceAll(/:[a-z_]+|\*/g, crypto.randomUUID());
}

test("no request costs more than 20 ms and 2 ms for each 16 KB of its body, whoever sends it", async () => {
  const tooDear: string[] = [];
  for (const [index, route] of routes.entries()) {
    const { slug, keys } = await credentials();
    const hasBody = route.method !== "GET" && route.method !== "HEAD";
    const url = gateway.baseUrl + pathOf(route, slug);
    for (const key of keys) {
      const headers = key === undefined ? {} : { Authorization: `Bearer ${key}` };
      const { method } = route;
      const inputs: [string, Sent][] = share(Object.entries(QUERIES), index).map(
        ([name, query]) => [name, { method, url: `${url}?${query}`, headers }],
      );
      for (const [name, own] of share(Object.entries(HEADERS), index)) {
        inputs.push([name, { method, url, headers: { ...headers, ...own } }]);
      }
      if (hasBody) {
        for (const [name, { type, text }] of share(Object.entries(BODIES), index)) {
          inputs.push([
            name,
            { method, url, headers: { ...headers, "Content-Type": type }, body: text },
          ]);
        }
      }
      for (const [name, sent] of inputs) {
        const { ms, maxMs, status } = await costOf(sent);
        if (ms > maxMs || status === 500) {
          const whose = key?.slice(0, key.lastIndexOf("_")) ?? "no key";
          tooDear.push(
            `${method} ${route.path}, ${whose}, ${name}: ${status} in ${ms.toFixed(0)} ms`,
          );
        }
      }
    }
  }
  expect(tooDear).toEqual([]);
});
