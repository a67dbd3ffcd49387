import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { OPERATOR_ROUTES } from "../../src/routes/operator/operator_routes.ts";
import edgeRows from "../fixtures/edge-rows.json";
import hostileStrings from "../fixtures/hostile-strings.json";
import { askAgain } from "../support/ask_again.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { insertAdminKey } from "../support/insert_key.ts";
import { seedFeed } from "../support/seed.ts";

/** `bun run fuzz` sets a higher number. */
const CASES = Number(process.env.FUZZ_CASES ?? 1_000);
const AT_ONCE = 20;
/** More than one, because the number of calls per minute is limited for each. */
const ADMIN_KEYS = 20;

let gateway: TestGateway;
let readKey: string;
let writeKey: string;
const references: string[] = [];
/** The accounts and feeds of operators' calls, separate from those of the other calls. */
const operated: string[] = [];
const adminKeys: string[] = [];

beforeAll(async () => {
  gateway = await startTestGateway({
    FEEDGATE_READ_LIMIT_FREE: "100000",
    FEEDGATE_DISCOVERY_LIMIT: "100000",
    FEEDGATE_PUSH_LIMIT: "100000",
  });
  const owner = await gateway.createAccount({ maxFeeds: 1_000_000 });
  readKey = await gateway.createKey(owner, "read");
  writeKey = await gateway.createKey(owner, "write");
  const subject = await gateway.createAccount({ credits: 1_000, name: "Operated" });
  const rows = [{ id: 1 }];
  const sold = await seedFeed(gateway, subject, {
    type: "collection",
    rows,
    oneTimePriceCents: 500,
  });
  operated.push(subject, "Operated", sold.feedId, sold.slug, "CODE", crypto.randomUUID());
  for (let count = 0; count < ADMIN_KEYS; count++) {
    adminKeys.push((await insertAdminKey(gateway)).key);
  }
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

/** A body of an operator's call, most of whose fields have a plausible value. */
const operatorBody = fc
  .record(
    {
      account_id: fc.oneof(operatedReference(), hostile),
      feed_id: fc.oneof(operatedReference(), hostile),
      feed_ids: fc.oneof(fc.array(operatedReference(), { maxLength: 3 }), hostile, fc.jsonValue()),
      credits: fc.oneof(fc.integer({ max: 20 }), fc.double(), hostile, fc.constant(0.0001)),
      usd: fc.oneof(fc.integer({ max: 20 }), fc.double(), hostile),
      reason: fc.oneof(fc.constant("fuzz"), hostile),
      reference: fc.oneof(fc.constantFrom("a", "b", "refund:1", "idempotency_key:1"), hostile),
      code: fc.oneof(fc.constant("CODE"), hostile),
      name: hostile,
      key: fc.oneof(fc.constantFrom("fg_read_", "fg_admin_x"), hostile),
      permission: fc.constantFrom("read", "write", "admin", ""),
      max_feeds_allowed: fc.oneof(fc.integer(), fc.double(), hostile),
      max_redemptions: fc.oneof(fc.integer(), hostile),
      daily_credits: fc.oneof(fc.double(), fc.constant(null), hostile),
      grace_seconds: fc.oneof(fc.integer(), hostile),
      expires_at: fc.oneof(fc.constantFrom("2031-01-01T00:00:00Z", null), hostile),
    },
    { requiredKeys: [] },
  )
  .map((value) => JSON.stringify(value));

function operatedReference(): fc.Arbitrary<string> {
  return fc.nat({ max: 5 }).map((place) => operated[place] as string);
}

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

/** Each route, with plausible path parameters, and usually with its own method. */
function operatorCases(): fc.Arbitrary<Case> {
  const part = fc.oneof(
    { weight: 3, arbitrary: operatedReference().map(encode) },
    { weight: 1, arbitrary: hostile.map(encode) },
  );
  return fc
    .record({
      route: fc.constantFrom(...OPERATOR_ROUTES.map(({ method, path }) => ({ method, path }))),
      other: fc.constantFrom(undefined, undefined, undefined, "GET", "POST", "PATCH", "DELETE"),
      part,
      query: fc.oneof(
        { weight: 2, arbitrary: fc.constant("") },
        { weight: 1, arbitrary: rawQuery },
      ),
      headers,
      body: fc.oneof({ weight: 3, arbitrary: operatorBody }, { weight: 1, arbitrary: body }),
    })
    .map(({ route, other, part, query, headers, body }) => {
      const method = other ?? route.method;
      return {
        method,
        path: `/v1/operator${route.path.replaceAll(/:[a-z_]+/g, () => part)}`,
        query,
        headers,
        body: method === "GET" ? undefined : body,
      };
    });
}

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
  return fc.oneof(read, write, operatorCases());
}

function encode(text: string): string {
  // A lone surrogate can't be percent-encoded, so it is sent as the bytes of a careless client.
  return text.isWellFormed() ? encodeURIComponent(text) : "%ED%A0%80";
}

let sent = 0;

async function send(each: Case): Promise<void> {
  const isWrite = each.body !== undefined || /^\/v1\/(provider|operator)/.test(each.path);
  const key = each.path.startsWith("/v1/operator")
    ? adminKeys[sent++ % adminKeys.length]
    : writeKey;
  const response = await askAgain(() =>
    fetch(`${gateway.baseUrl}${each.path}?${each.query}`, {
      method: each.method,
      headers: {
        ...(isWrite
          ? { Authorization: `Bearer ${key}`, "Content-Type": "application/json" }
          : { "x-api-key": readKey }),
        ...each.headers,
      },
      ...(each.body !== undefined && { body: each.body }),
      redirect: "manual",
    }),
  );
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
    const wrong = await gateway.sql`
      select account_id
      from accounts
      cross join lateral ledger_of(account_id) as ledger
      where ledger.granted_nanos - ledger.revoked_nanos - ledger.charged_nanos
        + ledger.refunded_nanos <> ledger.balance_nanos
        or ledger.balance_nanos < 0`;
    expect([...wrong]).toEqual([]);
  });
});
