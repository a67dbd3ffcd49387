import { afterAll, beforeAll, describe, expect, spyOn, test } from "bun:test";
import type { AccessRequests } from "../../../src/access/access_shapes.ts";
import type { AccessRequest } from "../../../src/feeds/access_request.ts";
import {
  DATABASE_WAIT_MS_MAX,
  OPERATOR_BODY_BYTES_MAX,
  READER_INVITATIONS_MAX,
  WEBHOOKS_MAX,
} from "../../../src/limits.ts";
import { UNKNOWN_ID } from "../../cli/support.ts";
import { callOverLimit } from "../../support/anonymous_calls.ts";
import { type Contract, loadContract } from "../../support/contract.ts";
import { startTestGateway, type TestGateway } from "../../support/gateway.ts";
import { insertAdminKey } from "../../support/insert_key.ts";
import { cancelLockWaiters } from "../../support/lock_waiters.ts";
import { STRIPE_ENVIRONMENT, type StripeHost, startStripeHost } from "../../support/stripe_host.ts";
import { signedPayment, startX402Stub } from "../../support/x402_stub.ts";
import {
  exceedOperatorLimit,
  exerciseOperatorRoutes,
  operatorCalls,
  refuseOperatorCalls,
} from "./operator_calls.ts";

/** Faults of routes that ask the database for nothing. */
const OUT_OF_REACH: readonly string[] = ["healthz 500", "metrics 500"];

let stripe: StripeHost;
let gateway: TestGateway;
let contract: Contract;
/** Keys of two accounts: the provider's own, and a reader with a few credits. */
let write: string;
let ownRead: string;
let read: string;
let poor: string;

interface Made {
  id: string;
}

beforeAll(async () => {
  stripe = startStripeHost();
  gateway = await startTestGateway(
    {
      FEEDGATE_READ_LIMIT_FREE: "30",
      FEEDGATE_DISCOVERY_LIMIT: "30",
      FEEDGATE_PUSH_LIMIT: "30",
      FEEDGATE_REQUEST_BODY_BYTES: "60000",
      FEEDGATE_IMPORT_BYTES: "70000",
      ...STRIPE_ENVIRONMENT,
    },
    { stripePort: stripe.port, waitMsMax: DATABASE_WAIT_MS_MAX },
  );
  contract = await loadContract(gateway.baseUrl);
  const provider = await gateway.createAccount({ maxFeeds: 20 });
  const reader = await gateway.createAccount({ credits: 100 });
  write = await gateway.createKey(provider, "write");
  ownRead = await gateway.createKey(provider, "read");
  read = await gateway.createKey(reader, "read");
  poor = await gateway.createKey(await gateway.createAccount(), "read");
});
afterAll(async () => {
  await gateway.stop();
  await stripe.stop();
});

/** GET, held against the document. */
async function get<Body = unknown>(
  status: number,
  path: string,
  key?: string,
  headers: Record<string, string> = {},
): Promise<{ body: Body; response: Response }> {
  const response = await gateway.get(path, key, headers);
  const body = (await contract.check("GET", response)) as Body;
  expect({ path, status: response.status, body }).toMatchObject({ path, status });
  return { body, response };
}

async function getAsProvider(status: number, path: string, key: string | undefined) {
  await get(status, path, undefined, key === undefined ? {} : { Authorization: `Bearer ${key}` });
}

/** A call with a body, held against the document. */
async function send<Body = unknown>(
  status: number,
  request: readonly [
    "POST" | "PUT" | "PATCH",
    path: string,
    key: string | undefined,
    body: unknown,
  ],
  headers: Record<string, string> = {},
): Promise<Body> {
  const [method, path, key, content] = request;
  const response = await gateway.send(method, path, key, content, headers);
  const body = (await contract.check(method, response)) as Body;
  expect({ path, status: response.status, body }).toMatchObject({ path, status });
  return body;
}

function sendDelete(path: string, key: string | undefined): Promise<Response> {
  const headers: Record<string, string> =
    key === undefined ? {} : { Authorization: `Bearer ${key}` };
  return fetch(gateway.baseUrl + path, { method: "DELETE", headers });
}

/** DELETE, held against the document. */
async function remove(status: number, path: string, key: string | undefined): Promise<void> {
  const response = await sendDelete(path, key);
  await contract.check("DELETE", response);
  expect([path, response.status]).toEqual([path, status]);
}

/** The answer of a call whose limit has no room. What counted it is called until then, without the way there. */
async function overLimit(call: () => Promise<Response>): Promise<Response> {
  const { admission } = gateway.gateway.services;
  const counting = spyOn(admission, "countUnlogged");
  await (await call()).body?.cancel();
  const { calls } = counting.mock;
  counting.mockRestore();
  expect(calls).toHaveLength(1);
  for (const counted of calls) while (admission.countUnlogged(...counted) === undefined);
  return call();
}

const CREATE = "/v1/provider/feed/create";
const push = (id: string) => `/v1/provider/feed/${id}/push`;
const edit = (id: string) => `/v1/provider/feed/${id}/edit`;

async function create(fields: Record<string, unknown>): Promise<string> {
  return (await send<Made>(201, ["POST", CREATE, write, { name: "Tour", ...fields }])).id;
}

/** Active and listed. */
async function filledFeed(slug: string, fields: object, payload: unknown): Promise<string> {
  const id = await create({ endpoint_path: slug, ...fields });
  await send(200, ["POST", push(id), write, { payload }]);
  await gateway.sql`
    update feeds set is_public = true, published_at = now() where feed_id = ${id}`;
  return id;
}

const ROWS = [{ id: 1, event_timestamp: "2026-01-01T00:00:00Z" }, { id: 2 }, { id: "c" }];
const SCHEMA = { type: "object", properties: { id: {} } };

describe("every answer is one that the document promises", () => {
  test("every answer of createFeed is documented", async () => {
    const id = await create({ endpoint_path: "made" });
    await create({
      endpoint_path: "made-in-full",
      description: "All fields",
      readme_md: "# Read me",
      category: "tests",
      feed_type: "time_stream",
      schema_definition: SCHEMA,
      schema_version: 1.5,
      schema_locked: true,
      sample_response: [1],
      sync_interval_mins: 5,
      update_frequency_text: "often",
      status: "inactive",
      draft_step: 2,
      price_type: "one_time",
      one_time_price_cents: 500,
    });
    await send(200, ["POST", CREATE, write, { id, name: "Edited", endpoint_path: "made" }]);
    const body = { name: "Tour", endpoint_path: "other" };
    await send(400, ["POST", CREATE, write, "{"]);
    await send(400, ["POST", `${CREATE}?x=1`, write, body]);
    await send(401, ["POST", CREATE, undefined, body]);
    await send(401, ["POST", CREATE, `${write}x`, body]);
    await send(403, ["POST", CREATE, read, body]);
    await send(409, ["POST", CREATE, write, { ...body, endpoint_path: "made" }]);
    await send(413, ["POST", CREATE, write, { ...body, readme_md: "x".repeat(70_000) }]);
    await send(415, ["POST", CREATE, write, body], { "Content-Type": "text/plain" });
    await send(422, ["POST", CREATE, write, { endpoint_path: "BAD" }]);
    await send(422, ["POST", CREATE, write, { ...body, status: "inactive" }]);
    await send(422, ["POST", CREATE, write, { ...body, schema_definition: { type: 5 } }]);
    await send(422, ["POST", CREATE, write, { ...body, price_type: "metered" }]);
  });

  test("every answer of editFeed and listProviderFeeds is documented", async () => {
    const id = await create({ endpoint_path: "edited", schema_definition: SCHEMA });
    await send(200, ["PATCH", edit(id), write, { name: "Edited" }]);
    await send(400, ["PATCH", edit(id), write, ""]);
    await send(401, ["PATCH", edit(id), undefined, {}]);
    await send(403, ["PATCH", edit(crypto.randomUUID()), write, {}]);
    await send(409, ["PATCH", edit(id), write, { status: "active" }]);
    await send(413, ["PATCH", edit(id), write, { readme_md: "x".repeat(70_000) }]);
    await send(415, ["PATCH", edit(id), write, {}], { "Content-Encoding": "br" });
    await send(422, ["PATCH", edit(id), write, { nonsense: 1 }]);
    await getAsProvider(200, "/v1/provider/feeds?limit=3", write);
    await getAsProvider(400, "/v1/provider/feeds?limit=0", write);
    await getAsProvider(401, "/v1/provider/feeds", undefined);
    await getAsProvider(403, "/v1/provider/feeds", read);
  });

  test("every answer of listPushes is documented", async () => {
    const path = `/v1/provider/feed/${await create({ endpoint_path: "history" })}/pushes`;
    await getAsProvider(200, path, write);
    await getAsProvider(400, `${path}?cursor=x`, write);
    await getAsProvider(401, path, undefined);
    await getAsProvider(403, path, read);
  });

  test("every answer of getEarnings and listPayouts is documented", async () => {
    await getAsProvider(200, "/v1/provider/earnings", write);
    await getAsProvider(200, "/v1/provider/earnings?format=csv&group_by=month", write);
    await getAsProvider(200, "/v1/provider/payouts", write);
    await getAsProvider(400, "/v1/provider/payouts?cursor=x", write);
    for (const path of ["/v1/provider/earnings", "/v1/provider/payouts"]) {
      await getAsProvider(400, `${path}?x=1`, write);
      await getAsProvider(401, path, undefined);
      await getAsProvider(403, path, read);
    }
  });

  test("every answer of pushFeed is documented", async () => {
    const id = await create({
      endpoint_path: "pushed",
      feed_type: "collection",
      schema_definition: { type: "object", properties: { n: { type: "number" } } },
      schema_locked: true,
    });
    await send(200, ["POST", `${push(id)}?dry_run=true`, write, { payload: ROWS }]);
    const batch = { payload: [{ id: 1, n: 1 }], batch_id: "a", batch_complete: true };
    await send(200, ["POST", push(id), write, batch]);
    await send(200, ["POST", push(id), write, '{"id":1}\n{"id":2}'], {
      "Content-Type": "application/x-ndjson",
    });
    await send(200, ["POST", push(id), write, Bun.gzipSync(JSON.stringify(ROWS))], {
      "Content-Encoding": "gzip",
    });
    await send(400, ["POST", push(id), write, "nonsense"]);
    await send(400, ["POST", `${push(id)}?dry_run=maybe`, write, ROWS]);
    await send(401, ["POST", push(id), undefined, ROWS]);
    await send(403, ["POST", push(crypto.randomUUID()), write, ROWS]);
    await send(409, ["POST", push(id), write, { ...batch, payload: [{ id: 9 }] }]);
    await send(413, ["POST", push(id), write, [{ id: 1, n: "x".repeat(55_000) }]]);
    await send(413, ["POST", push(id), write, Array.from({ length: 501 }, (_, id) => ({ id }))]);
    await send(413, ["POST", push(id), write, "x".repeat(70_000)]);
    await send(415, ["POST", push(id), write, ROWS], { "Content-Type": "text/csv" });
    await send(422, ["POST", push(id), write, { payload: [{ id: 1, n: "one" }] }]);
    await send(422, ["POST", push(id), write, { payload: [{ n: 1 }] }]);
    for (let count = 0; count < 30; count++) await gateway.send("POST", push(id), write, "");
    await send(429, ["POST", push(id), write, ROWS]);
  });

  test("every answer of importFeed is documented", async () => {
    const id = await create({ endpoint_path: "imported", feed_type: "collection" });
    const path = `/v1/provider/feed/${id}/import`;
    const ndjson = { "Content-Type": "application/x-ndjson" };
    const file = '{"id":1}\n{"id":2}';
    await send(200, ["POST", path, write, file], ndjson);
    await send(200, ["POST", path, write, "id,n\n1,2"], { "Content-Type": "text/csv" });
    const zipped = { ...ndjson, "Content-Encoding": "gzip" };
    await send(400, ["POST", path, write, file], zipped);
    await send(422, ["POST", path, write, ""], ndjson);
    await send(401, ["POST", path, undefined, file], ndjson);
    await send(403, ["POST", path, read, file], ndjson);
    await gateway.sql`
      insert into imports (feed_id, import_id, renewed_at)
      values (${id}, gen_random_uuid(), now() + interval '1 minute')`;
    await send(409, ["POST", path, write, file], ndjson);
    await gateway.sql`delete from imports where feed_id = ${id}`;
    await send(413, ["POST", path, write, "x".repeat(80_000)], ndjson);
    await send(415, ["POST", path, write, ROWS]);
    for (let count = 0; count < 30; count++) await gateway.send("POST", path, write, "");
    await send(429, ["POST", path, write, file], ndjson);
  });

  test("every answer of deleteRows and deleteFeed is documented", async () => {
    const id = await create({ endpoint_path: "removed", feed_type: "collection" });
    await send(200, ["POST", push(id), write, ROWS]);
    const rows = `/v1/provider/feed/${id}/rows`;
    await remove(200, `${rows}?ids=1,9`, write);
    for (const path of [`${rows}?ids=1`, `/v1/provider/feed/${id}`]) {
      await remove(400, `${path}${path.includes("?") ? "&" : "?"}x=1`, write);
      await remove(401, path, undefined);
      await remove(403, path, read);
    }
    await remove(403, `/v1/provider/feed/${crypto.randomUUID()}/rows?ids=1`, write);
    await remove(204, `/v1/provider/feed/${id}`, write);
    await remove(204, `/v1/provider/feed/${id}`, write);
  });

  test("every answer of readFeed is documented", async () => {
    const metered = { price_type: "metered", price_per_1k: 0.001 };
    const stream = await filledFeed("stream", { feed_type: "stream", ...metered }, ROWS);
    await get(200, `/v1/feed/${stream}?limit=2`, read);
    await get(200, `/api/v1/feed/stream?id=eq.2`, undefined, { Authorization: `Bearer ${read}` });
    await get(200, "/v1/feed/stream?jsonpath=$[0].id&start_time=2020-01-01T00:00:00Z", read);
    await get(402, "/v1/feed/stream", poor);
    await get(402, "/v1/feed/stream", read, { "Feedgate-Max-Credits": "0" });
    const { response } = await get(200, "/v1/feed/stream?ids=1,2", read, {
      "Idempotency-Key": "k",
    });
    await get(409, "/v1/feed/stream", read, { "Idempotency-Key": "k" });
    await get(304, "/v1/feed/stream?ids=1,2", read, {
      "If-None-Match": response.headers.get("etag") as string,
    });
    for (const query of ["limit=0", "id=gt.1", "jsonpath=x[", "jsonpath=$[?(1)]", "cursor=x"]) {
      await get(400, `/v1/feed/stream?${query}`, read);
    }
    await get(401, "/v1/feed/stream");
    await get(403, "/v1/feed/stream", `${read}x`);
    await get(403, "/v1/feed/stream", write);
    await get(404, "/v1/feed/none", read);
    const singleton = { feed_type: "singleton", price_type: "one_time", one_time_price_cents: 100 };
    await filledFeed("singleton", singleton, { a: 1 });
    await get(402, "/v1/feed/singleton", read);

    const id = await filledFeed("collection", { feed_type: "collection" }, ROWS);
    await get(404, "/v1/feed/made-in-full", read);
    const page = await get<{ next_cursor: string }>(200, "/v1/feed/collection?limit=1", read);
    await send(200, [
      "POST",
      push(id),
      write,
      { payload: ROWS.toReversed(), batch_complete: true },
    ]);
    await gateway.sql`
      update batches set retired_at = now() - interval '1 day'
      where feed_id = ${id} and status = 'retired'`;
    await get(410, `/v1/feed/collection?cursor=${page.body.next_cursor}`, read);
    for (let count = 0; count < 30; count++) await gateway.get("/v1/feed/collection", read);
    await get(429, "/v1/feed/collection", read);
  });

  test("every answer of exportFeed is documented", async () => {
    const metered = { feed_type: "collection", price_type: "metered", price_per_1k: 0.001 };
    const id = await filledFeed("exported", metered, ROWS);
    const path = "/v1/feed/exported/export";
    await get(200, path, read, { "Idempotency-Key": "exported" });
    await get(200, `${path}?format=csv`, read);
    for (const query of ["format=x", "after=1", "version=x"]) {
      await get(400, `${path}?${query}`, read);
    }
    await get(400, "/v1/feed/singleton/export", ownRead);
    await get(401, path);
    await get(402, path, poor);
    await get(402, path, read, { "Feedgate-Max-Credits": "0" });
    await get(403, path, write);
    await get(404, "/v1/feed/none/export", read);
    await get(409, `${path}?format=csv`, read, { "Idempotency-Key": "exported" });
    await get(410, `${path}?version=999`, read);
    await gateway.sql`
      insert into exports (export_id, account_id, feed_id, data_version, batch_number, last_position)
      select gen_random_uuid(), account_id, feed_id, data_version, batch_number, last_position
      from exports, generate_series(1, 6)
      where feed_id = ${id}`;
    await get(429, path, read);
  });

  test("every answer of followStream is documented", async () => {
    const metered = { feed_type: "stream", price_type: "metered", price_per_1k: 0.001 };
    await filledFeed("followed", metered, ROWS);
    const path = "/v1/feed/followed/stream";
    await get(200, path, read, { "Idempotency-Key": "followed" });
    await get(200, `${path}?offset=now`, read);
    await get(204, `${path}?offset=now&live=long-poll`, read, { Prefer: "wait=1" });
    for (const query of ["offset=x", "limit=0", "live=x"]) await get(400, `${path}?${query}`, read);
    await get(400, "/v1/feed/collection/stream", read);
    await get(401, path);
    await get(402, path, poor);
    await get(402, path, read, { "Feedgate-Max-Credits": "0" });
    await get(403, path, write);
    await get(404, "/v1/feed/made/stream", read);
    await get(409, `${path}?limit=1`, read, { "Idempotency-Key": "followed" });
    await filledFeed("free-stream", { feed_type: "stream" }, ROWS);
    for (let count = 0; count < 30; count++) await gateway.get("/v1/feed/free-stream/stream", read);
    await get(429, "/v1/feed/free-stream/stream", read);
  });

  test("every answer of listCatalog, searchFeeds and readFeedMetadata is documented", async () => {
    for (const [path, bad] of [
      ["/v1/catalog?limit=2", "/v1/catalog?limit=x"],
      ["/v1/search?q=tour", "/v1/search"],
      ["/v1/feed/stream/metadata", "/v1/feed/stream/metadata?x=1"],
    ] as const) {
      const { response } = await get(200, path, read);
      await get(304, path, read, { "If-None-Match": response.headers.get("etag") as string });
      await get(400, bad, read);
      await get(401, path);
      await get(403, path, write);
      for (let count = 0; count < 30; count++) await gateway.get(path, poor);
      await get(429, path, poor);
    }
    for (const slug of ["singleton", "collection"])
      await get(200, `/v1/feed/${slug}/metadata`, read);
    await get(400, "/v1/search?q=tour&limit=0", read);
    await get(404, "/v1/feed/made/metadata", read);
  });

  test("every answer of topUp and getTopUp is documented", async () => {
    const path = "/v1/topups";
    const body = { usd: 5 };
    const headers = { "Idempotency-Key": "paid" };
    const { topup_id: id } = await send<{ topup_id: string }>(
      201,
      ["POST", path, read, body],
      headers,
    );
    await send(200, ["POST", path, read, body], headers);
    await send(400, ["POST", `${path}?x=1`, read, body]);
    await send(401, ["POST", path, undefined, body]);
    await send(403, ["POST", path, write, body]);
    await send(404, ["POST", path, read, { ...body, way: "x402" }]);
    await send(409, ["POST", path, read, { usd: 6 }], headers);
    await send(413, ["POST", path, read, { more: "x".repeat(5_000) }]);
    await send(415, ["POST", path, read, body], { "Content-Type": "text/plain" });
    await send(422, ["POST", path, read, {}]);
    await get(200, `${path}/${id}`, read);
    await get(400, `${path}/${id}?x=1`, read);
    await get(401, `${path}/${id}`);
    await get(403, `${path}/${id}`, write);
    await get(404, `${path}/${id}`, poor);
  });

  test("every answer about webhooks is documented", async () => {
    const path = "/v1/webhooks";
    // It is named by its address, so nothing has to be resolved.
    const body = { url: "https://93.184.215.14/hook", types: ["feed.updated"] };
    const admin = (await insertAdminKey(gateway)).key;
    const { id } = await send<Made>(201, ["POST", path, read, body]);
    await send(400, ["POST", `${path}?x=1`, read, body]);
    await send(401, ["POST", path, undefined, body]);
    await send(403, ["POST", path, read, { ...body, types: ["feed.late"] }]);
    await send(404, ["POST", path, read, { ...body, feed_ids: ["none"] }]);
    await send(413, ["POST", path, read, { more: "x".repeat(OPERATOR_BODY_BYTES_MAX) }]);
    await send(415, ["POST", path, read, body], { "Content-Type": "text/plain" });
    await send(422, ["POST", path, read, { ...body, url: "https://10.0.0.1/" }]);
    const named = { ...body, types: ["feed.late"] };
    for (let count = 0; count < WEBHOOKS_MAX; count++) {
      await send(201, ["POST", path, write, named]).catch(() => {});
    }
    await send(409, ["POST", path, write, named]);
    const one = `${path}/${id}`;
    await send(200, ["PATCH", one, read, { is_active: true }]);
    await send(400, ["PATCH", `${one}?x=1`, read, {}]);
    await send(401, ["PATCH", one, undefined, {}]);
    await send(403, ["PATCH", one, read, { types: ["feed.late"] }]);
    await send(404, ["PATCH", `${path}/none`, read, {}]);
    await send(413, ["PATCH", one, read, { more: "x".repeat(OPERATOR_BODY_BYTES_MAX) }]);
    await send(415, ["PATCH", one, read, {}], { "Content-Type": "text/plain" });
    await send(422, ["PATCH", one, read, { types: [] }]);
    const { delivery_id: delivery } = await send<{ delivery_id: string }>(201, [
      "POST",
      `${one}/test`,
      read,
      {},
    ]);
    await send(200, ["POST", `${one}/rotate`, read, {}]);
    const resend = `${path}/deliveries/${delivery}/resend`;
    await send(200, ["POST", resend, read, {}]);
    for (const [each, unknown] of [
      [`${one}/test`, `${path}/none/test`],
      [`${one}/rotate`, `${path}/none/rotate`],
      [resend, `${path}/deliveries/none/resend`],
    ] as const) {
      await send(400, ["POST", `${each}?x=1`, read, {}]);
      await send(401, ["POST", each, undefined, {}]);
      await send(403, ["POST", each, admin, {}]);
      await send(404, ["POST", unknown, read, {}]);
    }
    for (const each of [path, one, `${one}/deliveries`]) {
      await get(200, each, read);
      await get(400, `${each}?x=1`, read);
      await get(401, each);
      await get(403, each, admin);
    }
    await get(404, `${path}/none`, read);
    await get(404, `${path}/none/deliveries`, read);
    await remove(400, `${one}?x=1`, read);
    await remove(401, one, undefined);
    await remove(403, one, admin);
    await remove(404, `${path}/none`, read);
    await remove(204, one, read);
  });

  test("every answer of topUp by x402 is documented", async () => {
    const stub = startX402Stub();
    const { baseUrl } = await gateway.startPeer(stub.environment);
    const pay = async (key: string | undefined, headers: Record<string, string> = {}) => {
      const response = await fetch(`${baseUrl}/v1/topups`, {
        method: "POST",
        headers: {
          "Content-Type": "application/json",
          ...(key !== undefined && { "x-api-key": key }),
          ...headers,
        },
        body: JSON.stringify({ usd: 1, way: "x402" }),
      });
      return { status: response.status, body: await contract.check("POST", response) };
    };
    expect(await pay(undefined)).toMatchObject({ status: 402 });
    const asked = await pay(read);
    expect(asked).toMatchObject({ status: 402, body: { code: "PAYMENT_REQUIRED" } });
    const payment = await signedPayment(asked.body as Parameters<typeof signedPayment>[0]);
    const paid = { "PAYMENT-SIGNATURE": payment };
    expect(await pay(read, paid)).toMatchObject({ status: 202, body: { status: "waiting" } });
    expect(await pay(ownRead, paid)).toMatchObject({ body: { code: "PAYMENT_REFUSED" } });
    expect(await pay(read, { "PAYMENT-SIGNATURE": "none" })).toMatchObject({ status: 400 });
    await stub.stop();
  });

  test("every answer of getAccount and listUsage is documented", async () => {
    await get(200, "/v1/account", read);
    await get(200, "/v1/usage?limit=2", read);
    await get(200, "/v1/usage", ownRead);
    for (const path of ["/v1/account", "/v1/usage"]) {
      await get(400, `${path}?x=1`, read);
      await get(401, path);
      await get(403, path, write);
    }
    await get(400, "/v1/usage?cursor=x", read);
  });

  test("every answer of endAgent is documented", async () => {
    const ended = await gateway.createAccount();
    const own = await gateway.createKey(ended, "read");
    const keys = await gateway.sql`select key_id from api_keys where account_id = ${ended}`;
    const keyId: string = keys[0]?.key_id;
    const path = `/v1/account/agents/${keyId}`;
    await remove(400, `${path}?x=1`, own);
    await remove(401, path, undefined);
    await remove(403, path, write);
    await remove(404, path, own);
    await gateway.sql`
      insert into agent_connections (
        code_hash, account_id, client_id, client_name, redirect_uri, challenge, daily_nanos, key_ends_at,
        actor, is_spent, key_id
      )
      values (
        sha256('code'), ${ended}, 'client', 'Agent', 'https://agent.example/', sha256('verifier'), 1000,
        now(), 'test', true, ${keyId}
      )`;
    await remove(204, path, own);
  });

  test("every answer of buyFeed and listPurchases is documented", async () => {
    const sold = { price_type: "one_time", one_time_price_cents: 100 };
    await filledFeed("for-sale", sold, ROWS);
    await filledFeed("for-sale-too", sold, ROWS);
    const buyer = await gateway.createKey(
      await gateway.createAccount({ credits: 1_500_000 }),
      "read",
    );
    const path = "/v1/feed/for-sale/purchase";
    const body = { max_credits: 1_000_000 };
    const headers = { "Idempotency-Key": "bought" };
    await send(402, ["POST", path, buyer, { max_credits: 1 }]);
    await send(402, ["POST", path, poor, body]);
    await send(201, ["POST", path, buyer, body], headers);
    await send(200, ["POST", path, buyer, body], headers);
    await send(400, ["POST", path, buyer, ""]);
    await send(401, ["POST", path, undefined, body]);
    await send(403, ["POST", path, write, body]);
    await send(404, ["POST", "/v1/feed/made/purchase", buyer, body]);
    await send(409, ["POST", "/v1/feed/for-sale-too/purchase", buyer, body], headers);
    await send(409, ["POST", "/v1/feed/collection/purchase", buyer, body]);
    await send(413, ["POST", path, buyer, { more: "x".repeat(5_000) }]);
    await send(415, ["POST", path, buyer, body], { "Content-Type": "text/plain" });
    await send(422, ["POST", path, buyer, {}]);
    await get(200, "/v1/purchases?limit=1", buyer);
    await get(400, "/v1/purchases?cursor=x", buyer);
    await get(401, "/v1/purchases");
    await get(403, "/v1/purchases", write);
  });

  test("every answer of requestAccess and listAccessRequests is documented", async () => {
    const id = await filledFeed("by-request", { access: "by_request" }, ROWS);
    const path = "/v1/feed/by-request/access-requests";
    await get(403, "/v1/feed/by-request", read);
    await send(201, ["POST", path, read, { message: "For a map" }]);
    await send(409, ["POST", path, read, {}]);
    await send(409, ["POST", "/v1/feed/collection/access-requests", read, {}]);
    await send(400, ["POST", path, read, "{"]);
    await send(401, ["POST", path, undefined, {}]);
    await send(403, ["POST", path, write, {}]);
    await send(404, ["POST", "/v1/feed/none/access-requests", read, {}]);
    await send(413, ["POST", path, read, { message: "x".repeat(70_000) }]);
    await send(415, ["POST", path, read, {}], { "Content-Type": "text/plain" });
    await send(422, ["POST", path, read, { message: "" }]);
    const mine = "/v1/account/access-requests";
    expect((await get<AccessRequests>(200, mine, read)).body.requests).toMatchObject([
      { feed_id: id },
    ]);
    await get(400, `${mine}?cursor=x`, read);
    await get(401, mine);
    await get(403, mine, write);
  });

  test("every answer of the routes for a feed's readers is documented", async () => {
    const id = await filledFeed("with-readers", { access: "by_request" }, ROWS);
    const feed = `/v1/provider/feed/${id}`;
    const foreign = `/v1/provider/feed/${UNKNOWN_ID}`;
    const asker = await gateway.createKey(await gateway.createAccount(), "read");
    const ask = async (key: string) =>
      await send<AccessRequest>(201, ["POST", `/v1/feed/${id}/access-requests`, key, {}]);
    const { request_id: approved, account_id: account } = await ask(asker);
    const { request_id: declined } = await ask(poor);
    const gone = await ask(await gateway.createKey(await gateway.createAccount(), "read"));
    for (const list of ["readers", "access-requests", "reader-invitations"]) {
      await getAsProvider(200, `${feed}/${list}`, write);
      await getAsProvider(400, `${feed}/${list}?x=1`, write);
      await getAsProvider(401, `${feed}/${list}`, undefined);
      await getAsProvider(403, `${foreign}/${list}`, write);
      await getAsProvider(403, `${feed}/${list}`, read);
    }
    const late = { expires_at: "2020-01-01T00:00:00Z" };
    for (const [method, path, status, body] of [
      ["POST", `/access-requests/${approved}/approve`, 200, { is_free: true }],
      ["POST", `/access-requests/${declined}/decline`, 200, { reason: "For schools" }],
      ["PUT", `/readers/${account}`, 200, {}],
      ["POST", "/reader-invitations", 201, { address: "ada@example.com" }],
    ] as const) {
      await send(status, [method, feed + path, write, body]);
      await send(400, [method, feed + path, write, "{"]);
      await send(401, [method, feed + path, undefined, body]);
      await send(403, [method, foreign + path, write, body]);
      await send(413, [method, feed + path, write, { note: "x".repeat(70_000) }]);
      await send(415, [method, feed + path, write, body], { "Content-Type": "text/plain" });
      await send(422, [method, feed + path, write, { unknown: 1 }]);
      // The second answer to a request.
      if (path.startsWith("/access-requests")) await send(409, [method, feed + path, write, body]);
    }
    for (const act of ["approve", "decline"]) {
      await send(404, ["POST", `${feed}/access-requests/${UNKNOWN_ID}/${act}`, write, {}]);
    }
    await send(422, ["POST", `${feed}/access-requests/${gone.request_id}/approve`, write, late]);
    await send(404, ["PUT", `${feed}/readers/${UNKNOWN_ID}`, write, {}]);
    await send(422, ["PUT", `${feed}/readers/${account}`, write, late]);
    const granted = `${feed}/readers/${account}`;
    await getAsProvider(200, granted, write);
    await getAsProvider(400, `${granted}?x=1`, write);
    await getAsProvider(401, granted, undefined);
    await getAsProvider(403, `${foreign}/readers/${account}`, write);
    await getAsProvider(404, `${feed}/readers/${UNKNOWN_ID}`, write);
    const [owner] = await gateway.sql`select account_id from feeds where feed_id = ${id}`;
    await send(409, ["PUT", `${feed}/readers/${owner?.account_id}`, write, {}]);
    const invitations = `${feed}/reader-invitations`;
    await send(422, ["POST", invitations, write, { address: "none" }]);
    const [invited] = await gateway.sql`
      select invitation_id from access_invitations where feed_id = ${id}`;
    await gateway.sql`
      insert into access_invitations (feed_id, address, address_key, ends_at)
      select ${id}, place || '@example.com', place || '@example.com', now() + interval '1 day'
      from generate_series(2, ${READER_INVITATIONS_MAX}) as place`;
    await send(409, ["POST", invitations, write, { address: "one-more@example.com" }]);
    for (const path of [`/readers/${account}`, `/reader-invitations/${invited?.invitation_id}`]) {
      await remove(400, `${feed}${path}?x=1`, write);
      await remove(401, feed + path, undefined);
      await remove(403, foreign + path, write);
      await remove(204, feed + path, write);
      await remove(404, feed + path, write);
    }
  });

  test("every answer of the skills' and operations' routes is documented", async () => {
    const skill = "/public/feeds/stream/agent-skill";
    for (const query of ["", "?format=zip", "?format=tar.gz"]) await get(200, skill + query);
    for (const path of [skill, "/.well-known/agent-skills/index.json"]) {
      const { response } = await get(200, path);
      await get(304, path, undefined, { "If-None-Match": response.headers.get("etag") as string });
      await get(400, `${path}?x=1`);
    }
    await get(404, "/public/feeds/made/agent-skill");
    for (const path of ["/healthz", "/readyz", "/metrics"]) {
      await get(200, path);
      await get(400, `${path}?unknown=1`);
    }
    // Through a proxy on the machine, whose callers may be anywhere.
    await get(404, "/metrics", undefined, { "X-Forwarded-For": "203.0.113.9" });
    const guarded = await gateway.startPeer({ FEEDGATE_METRICS_TOKEN: "scrape-me-0123456789" });
    const response = await fetch(`${guarded.baseUrl}/metrics`);
    expect(response.status).toBe(401);
    await contract.check("GET", response);
  });

  test("every answer of the operator's routes is documented", async () => {
    await exerciseOperatorRoutes(gateway, contract);
  });

  test("what all operator's routes refuse alike is documented", async () => {
    await refuseOperatorCalls(gateway, contract);
  });

  test("over the limit of an admin key, every operator's route is 429 as documented", async () => {
    await exceedOperatorLimit(gateway, contract);
  });

  test("every route that asks a database which does not answer is 503 as documented", async () => {
    const calls = await callsOfEveryRoute("unanswered");
    const session = await gateway.sql.reserve();
    const tables = await session`
      select string_agg(format('%I', tablename), ', ') as names
      from pg_tables
      where schemaname = 'public'`;
    await session`begin`;
    await session.unsafe(`lock table ${tables[0]?.names} in access exclusive mode`);
    const sent = Promise.all(calls.map(({ send }) => send()));
    const answers = await cancelLockWaiters(gateway.sql, sent).finally(async () => {
      await session`rollback`;
      session.release();
    });
    await checkAll(calls, answers, 503);
    const { state } = gateway.gateway.services;
    state.isDraining = true;
    const draining = await gateway.get("/readyz");
    state.isDraining = false;
    expect(draining.status).toBe(503);
    await contract.check("GET", draining);
  });

  test("over the limit of 120 a minute, account, usage, purchases, top-ups, own feeds, create and edit are 429 as documented", async () => {
    const id = await create({ endpoint_path: "limited" });
    const bearer = { Authorization: `Bearer ${write}` };
    const calls: readonly (readonly [method: string, () => Promise<Response>])[] = [
      ["GET", () => gateway.get("/v1/account", read)],
      ["GET", () => gateway.get("/v1/usage?limit=1", read)],
      ["GET", () => gateway.get("/v1/purchases?limit=1", read)],
      ["POST", () => gateway.send("POST", "/v1/feed/none/purchase", read, { max_credits: 0 })],
      // One limit for both.
      ["GET", () => gateway.get(`/v1/topups/${id}`, read)],
      ["POST", () => gateway.send("POST", "/v1/topups", read, {})],
      // One limit for all of them.
      ["GET", () => gateway.get("/v1/webhooks", read)],
      ["POST", () => gateway.send("POST", "/v1/webhooks", read, {})],
      ["GET", () => gateway.get(`/v1/webhooks/${id}`, read)],
      ["PATCH", () => gateway.send("PATCH", `/v1/webhooks/${id}`, read, {})],
      ["DELETE", () => sendDelete(`/v1/webhooks/${id}`, read)],
      ["POST", () => gateway.send("POST", `/v1/webhooks/${id}/test`, read, {})],
      ["POST", () => gateway.send("POST", `/v1/webhooks/${id}/rotate`, read, {})],
      ["GET", () => gateway.get(`/v1/webhooks/${id}/deliveries`, read)],
      ["POST", () => gateway.send("POST", `/v1/webhooks/deliveries/${id}/resend`, read, {})],
      ["GET", () => gateway.get("/v1/account/access-requests", read)],
      ["POST", () => gateway.send("POST", "/v1/feed/none/access-requests", read, {})],
      ...readerCalls(id, write).map(({ method, send }) => [method, send] as const),
      ["GET", () => gateway.get("/v1/provider/feeds?limit=1", undefined, bearer)],
      ["GET", () => gateway.get("/v1/provider/earnings", undefined, bearer)],
      ["GET", () => gateway.get("/v1/provider/payouts", undefined, bearer)],
      ["GET", () => gateway.get(`/v1/provider/feed/${id}/pushes`, undefined, bearer)],
      ["PATCH", () => gateway.send("PATCH", edit(id), write, {})],
      ["POST", () => gateway.send("POST", CREATE, write, {})],
      ["DELETE", () => sendDelete(`/v1/provider/feed/${id}/rows?ids=1`, write)],
      ["DELETE", () => sendDelete(`/v1/provider/feed/${id}`, write)],
    ];
    for (const [method, call] of calls) {
      const refused = await overLimit(call);
      expect([method, refused.url, refused.status]).toEqual([method, refused.url, 429]);
      await contract.check(method, refused);
    }
  });

  test("over the limit that calls without a key share, they are 429 as documented", async () => {
    for (const path of ["/public/feeds/made/agent-skill", "/.well-known/agent-skills/index.json"]) {
      await contract.check("GET", await callOverLimit(gateway, path));
    }
  });

  test("every route whose tables are gone is 500 as documented", async () => {
    const calls = await callsOfEveryRoute("broken");
    await gateway.sql`drop schema public cascade`;
    // The calls without a key have used their common limit up.
    await Bun.sleep(500);
    const answers = [];
    for (const { send } of calls) answers.push(await send());
    await checkAll(calls, answers, 500);
    // It asks for no table, so the fault is another one.
    const { database } = gateway.gateway.services;
    const { row } = database;
    Object.assign(database, {
      row: () => Promise.reject(new Error("a fault of ours")),
    });
    const readyz = await gateway.get("/readyz");
    Object.assign(database, { row });
    expect(readyz.status).toBe(500);
    await contract.check("GET", readyz);
  });

  test("every documented status of every route was seen in these tests", () => {
    const missing = Object.values(contract.document.paths)
      .flatMap((methods) => Object.values(methods))
      .flatMap(({ operationId, responses }) =>
        Object.keys(responses).map((status) => `${operationId} ${status}`),
      )
      .filter((each) => !OUT_OF_REACH.includes(each) && !contract.seen.has(each));
    expect(missing).toEqual([]);
  });
});

interface RouteCall {
  readonly method: string;
  readonly path: string;
  send(): Promise<Response>;
}

/** A call that would be answered 2xx, by accounts of its own, of every route that asks the database for tables. */
async function callsOfEveryRoute(slug: string): Promise<RouteCall[]> {
  const owner = await gateway.createAccount();
  const ownKey = await gateway.createKey(owner, "write");
  const readKey = await gateway.createKey(await gateway.createAccount(), "read");
  const feed = { name: "Faults", endpoint_path: slug };
  const made = await gateway.send("POST", CREATE, ownKey, feed);
  const { id } = (await made.json()) as Made;
  await (await gateway.send("POST", push(id), ownKey, ROWS)).body?.cancel();
  await gateway.sql`
    update feeds set is_public = true, published_at = now() where feed_id = ${id}`;
  const reading = (path: string): RouteCall => ({
    method: "GET",
    path,
    send: () => gateway.get(path, readKey),
  });
  const writing = (method: "POST" | "PATCH", path: string, body: unknown): RouteCall => ({
    method,
    path,
    send: () => gateway.send(method, path, ownKey, body),
  });
  const headers = { Authorization: `Bearer ${ownKey}` };
  return [
    ...operatorCalls(gateway, (await insertAdminKey(gateway, slug)).key),
    reading("/v1/catalog"),
    reading(`/v1/search?q=${slug}`),
    reading(`/v1/feed/${slug}`),
    reading(`/v1/feed/${slug}/metadata`),
    reading(`/v1/feed/${slug}/stream`),
    reading(`/v1/feed/${slug}/export`),
    reading("/v1/account"),
    reading("/v1/usage"),
    reading("/v1/purchases"),
    {
      method: "POST",
      path: `/v1/feed/${slug}/purchase`,
      send: () => gateway.send("POST", `/v1/feed/${slug}/purchase`, readKey, { max_credits: 0 }),
    },
    {
      method: "POST",
      path: "/v1/topups",
      send: () => gateway.send("POST", "/v1/topups", readKey, { usd: 5 }),
    },
    reading(`/v1/topups/${id}`),
    reading("/v1/webhooks"),
    reading(`/v1/webhooks/${id}`),
    reading(`/v1/webhooks/${id}/deliveries`),
    writing("POST", "/v1/webhooks", { url: "https://93.184.215.14/", types: ["feed.late"] }),
    writing("PATCH", `/v1/webhooks/${id}`, {}),
    writing("POST", `/v1/webhooks/${id}/test`, {}),
    writing("POST", `/v1/webhooks/${id}/rotate`, {}),
    writing("POST", `/v1/webhooks/deliveries/${id}/resend`, {}),
    {
      method: "DELETE",
      path: `/v1/webhooks/${id}`,
      send: () => sendDelete(`/v1/webhooks/${id}`, readKey),
    },
    reading("/v1/account/access-requests"),
    {
      method: "POST",
      path: `/v1/feed/${slug}/access-requests`,
      send: () => gateway.send("POST", `/v1/feed/${slug}/access-requests`, readKey, {}),
    },
    ...readerCalls(id, ownKey),
    {
      method: "DELETE",
      path: `/v1/account/agents/${id}`,
      send: () => sendDelete(`/v1/account/agents/${id}`, readKey),
    },
    reading(`/public/feeds/${slug}/agent-skill`),
    reading("/.well-known/agent-skills/index.json"),
    ...[
      "/v1/provider/feeds",
      "/v1/provider/earnings",
      "/v1/provider/payouts",
      `/v1/provider/feed/${id}/pushes`,
    ].map((path) => ({
      method: "GET",
      path,
      send: () => gateway.get(path, undefined, headers),
    })),
    writing("POST", push(id), [{ id: 4 }]),
    {
      method: "POST",
      path: `/v1/provider/feed/${id}/import`,
      send: () =>
        gateway.send("POST", `/v1/provider/feed/${id}/import`, ownKey, '{"id":5}', {
          "Content-Type": "application/x-ndjson",
        }),
    },
    writing("POST", CREATE, { ...feed, endpoint_path: `${slug}-2` }),
    writing("PATCH", edit(id), { name: "Edited" }),
    ...[`/v1/provider/feed/${id}/rows?ids=1`, `/v1/provider/feed/${id}`].map((path) => ({
      method: "DELETE",
      path,
      send: () => sendDelete(path, ownKey),
    })),
  ];
}

/** A call of every route for the readers of a feed. */
function readerCalls(feedId: string, key: string): readonly RouteCall[] {
  const feed = `/v1/provider/feed/${feedId}`;
  const calls = [
    ["GET", "/readers"],
    ["GET", `/readers/${UNKNOWN_ID}`],
    ["PUT", `/readers/${UNKNOWN_ID}`],
    ["DELETE", `/readers/${UNKNOWN_ID}`],
    ["GET", "/access-requests"],
    ["POST", `/access-requests/${UNKNOWN_ID}/approve`],
    ["POST", `/access-requests/${UNKNOWN_ID}/decline`],
    ["GET", "/reader-invitations"],
    ["POST", "/reader-invitations"],
    ["DELETE", `/reader-invitations/${UNKNOWN_ID}`],
  ] as const;
  return calls.map(([method, rest]) => {
    const path = feed + rest;
    const body = rest === "/reader-invitations" ? { address: "ada@example.com" } : {};
    const send = {
      GET: () => gateway.get(path, undefined, { Authorization: `Bearer ${key}` }),
      DELETE: () => sendDelete(path, key),
      POST: () => gateway.send("POST", path, key, body),
      PUT: () => gateway.send("PUT", path, key, body),
    }[method];
    return { method, path, send };
  });
}

async function checkAll(
  calls: readonly RouteCall[],
  answers: readonly Response[],
  status: number,
): Promise<void> {
  for (const [place, answer] of answers.entries()) {
    const { method = "GET", path } = calls[place] ?? {};
    expect([path, answer.status]).toEqual([path, status]);
    await contract.check(method, answer);
  }
}
