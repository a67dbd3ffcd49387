import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import edgeRows from "../fixtures/edge-rows.json";
import hostileStrings from "../fixtures/hostile-strings.json";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { seedFeed } from "../support/seed.ts";

/** `bun run fuzz` sets more. */
const CASES = Number(process.env.FUZZ_CASES ?? 1_000);
const AT_ONCE = 20;

let gateway: TestGateway;
let readKey: string;
let writeKey: string;
const references: string[] = [];

beforeAll(async () => {
  gateway = await startTestGateway({
    FEEDGATE_READ_LIMIT_FREE: "100000",
    FEEDGATE_DISCOVERY_LIMIT: "100000",
    FEEDGATE_PUSH_LIMIT: "100000",
  });
  const owner = await gateway.createAccount({ maxFeeds: 1_000_000 });
  readKey = await gateway.createKey(owner, "read");
  writeKey = await gateway.createKey(owner, "write");
  for (const type of ["collection", "stream", "singleton"] as const) {
    const rows = [{ id: 1, event_timestamp: "2026-01-01T00:00:00Z", name: "x" }];
    const feed = await seedFeed(gateway, owner, { type, rows, isPublic: true });
    references.push(feed.feedId, feed.slug);
  }
});
afterAll(() => gateway.stop());

const PROTOTYPE_NAMES = ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty"];
const hostile = fc.oneof(
  fc.constantFrom(...(hostileStrings as { text: string }[]).map(({ text }) => text)),
  fc.constantFrom(...PROTOTYPE_NAMES),
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.constantFrom("\0", "%00", "\ud800", "-1", "1e999", "99999999999999999999", "true", "null", ""),
);
const reference = () =>
  fc.oneof(
    { weight: 3, arbitrary: fc.nat({ max: 5 }).map((index) => references[index] as string) },
    { weight: 1, arbitrary: hostile.map(encode) },
  );
const parameterNames = fc.oneof(
  fc.constantFrom(
    ..."limit offset cursor jsonpath ids start_time end_time q category dry_run since until feed_id format name payload.name".split(
      " ",
    ),
  ),
  hostile,
);
const parameterValues = fc.oneof(
  hostile,
  hostile.map((text) => `eq.${text}`),
  fc.constantFrom("1", "20", "$[*].id", "$..*", "{a: id}", "2026-01-01T00:00:00Z", "eq.x", "gt.5"),
);
const query = fc
  .array(fc.tuple(parameterNames, parameterValues), { maxLength: 4 })
  .map((pairs) => pairs.map(([name, value]) => `${encode(name)}=${encode(value)}`).join("&"));
const rawQuery = fc.oneof(
  { weight: 4, arbitrary: query },
  {
    weight: 1,
    arbitrary: fc.constantFrom("%", "%ff", "&&&", "=", "a=%C3", "?", "ids=,,,", "x".repeat(3_000)),
  },
);
const jsonBody = fc.oneof(
  fc.json(),
  fc.constantFrom(...(edgeRows as { row: string }[]).map(({ row }) => row)),
  fc.constantFrom(...(edgeRows as { row: string }[]).map(({ row }) => `{"payload":[${row}]}`)),
  fc
    .record(
      {
        name: hostile,
        endpoint_path: hostile,
        feed_type: hostile,
        schema_definition: fc.oneof(hostile, fc.jsonValue()),
        status: hostile,
        price_type: hostile,
        price_per_1k: fc.oneof(fc.double(), hostile),
        one_time_price_cents: fc.oneof(fc.double(), hostile),
        id: hostile,
        category: hostile,
        sync_interval_mins: fc.oneof(fc.double(), hostile),
      },
      { requiredKeys: [] },
    )
    .map((value) => JSON.stringify(value)),
);
const body = fc.oneof(
  { weight: 4, arbitrary: jsonBody },
  { weight: 1, arbitrary: hostile },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 60 }) },
);

interface Case {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: Record<string, string>;
  readonly body: string | Uint8Array | undefined;
}

const headers = fc
  .record(
    {
      "If-None-Match": fc.constantFrom("*", '"x"', 'W/"x', "nonsense"),
      "Idempotency-Key": fc.constantFrom("a", "b c", "", "x".repeat(300), "é"),
      "X-Request-Id": fc.constantFrom("mine", "", "a b", "x".repeat(200)),
      "Accept-Encoding": fc.constantFrom("gzip", "br;q=0, *", "zstd", ";;;", "identity;q=0"),
      "Content-Encoding": fc.constantFrom("gzip", "br", "identity"),
      Authorization: fc.constantFrom("Bearer", "Bearer x", "Basic eA==", "bearer fg_read_x"),
      traceparent: fc.constantFrom("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "x"),
    },
    { requiredKeys: [] },
  )
  .map(
    (found) =>
      Object.fromEntries(
        Object.entries(found).filter(([, value]) => /^[\x20-\x7e]*$/.test(value as string)),
      ) as Record<string, string>,
  );

function cases(): fc.Arbitrary<Case> {
  const reads = fc
    .tuple(
      fc.constantFrom("/v1", "/api/v1"),
      fc.oneof(
        fc.constantFrom("/catalog", "/search", "/account", "/usage", "/provider/feeds"),
        reference().map((id) => `/feed/${id}`),
        reference().map((id) => `/feed/${id}/metadata`),
      ),
    )
    .map(([prefix, path]) => prefix + path);
  const open = fc.oneof(
    reference().map((id) => `/public/feeds/${id}/agent-skill`),
    fc.constantFrom("/docs", "/docs/json", "/healthz", "/readyz", "/metrics", "/", "//", "/v1"),
    hostile.map((text) => `/${encode(text)}`),
  );
  const writes = fc.oneof(
    reference().map((id) => `/v1/provider/feed/${id}/push`),
    reference().map((id) => `/v1/provider/feed/${id}/edit`),
    fc.constant("/v1/provider/feed/create"),
  );
  const read = fc.record({
    method: fc.constantFrom("GET", "GET", "GET", "HEAD"),
    path: fc.oneof({ weight: 4, arbitrary: reads }, { weight: 1, arbitrary: open }),
    query: rawQuery,
    headers,
    body: fc.constant(undefined),
  });
  const write = fc.record({
    method: fc.constantFrom("POST", "POST", "PATCH", "PATCH", "PUT", "DELETE"),
    path: writes,
    query: fc.constantFrom("", "", "dry_run=true", "dry_run=x"),
    headers,
    body,
  });
  return fc.oneof(read, write);
}

function encode(text: string): string {
  // A lone surrogate can't be percent-encoded: it goes as the bytes that a careless client sends.
  return text.isWellFormed() ? encodeURIComponent(text) : "%ED%A0%80";
}

async function send(each: Case): Promise<void> {
  const isWrite = each.body !== undefined || each.path.startsWith("/v1/provider");
  const response = await fetch(`${gateway.baseUrl}${each.path}?${each.query}`, {
    method: each.method,
    headers: {
      ...(isWrite
        ? { Authorization: `Bearer ${writeKey}`, "Content-Type": "application/json" }
        : { "x-api-key": readKey }),
      ...each.headers,
    },
    ...(each.body !== undefined && { body: each.body }),
    redirect: "manual",
  });
  const text = await response.text();
  const isFault = response.status >= 500;
  const isLeak = /node_modules|at \w+ \(|\/src\/|syntax error at|relation "|PostgresError/.test(
    text,
  );
  const isOurs = response.status < 400 || response.headers.get("x-request-id") !== null;
  if (isFault || (isLeak && !each.path.startsWith("/docs")) || !isOurs) {
    throw new Error(`${response.status} ${text.slice(0, 500)}\n${JSON.stringify(each)}`);
  }
}

describe("every route, fed with anything", () => {
  test(`${CASES} random requests to all routes: no 5xx, no stack, no SQL, and the process is as before`, async () => {
    const all = fc.sample(cases(), CASES);
    for (let start = 0; start < all.length; start += AT_ONCE) {
      await Promise.all(all.slice(start, start + AT_ONCE).map(send));
    }
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    expect((await gateway.get("/readyz")).status).toBe(200);
    expect((await gateway.get("/v1/catalog", readKey)).status).toBe(200);
  }, 600_000);
});
