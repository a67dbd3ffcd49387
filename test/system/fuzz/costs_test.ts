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
import {
  BODIES,
  HEADERS,
  isOwnRoute,
  pathOf,
  QUERIES,
  receive,
} from "../../support/hostile_requests.ts";
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
  routes = table.filter(isOwnRoute);
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
    await receive(response);
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
