import { afterAll, beforeAll, expect, test } from "bun:test";
import { startOf } from "../../src/accounts/key_format.ts";
import { problemOf, startTestGateway, type TestGateway } from "../support/gateway.ts";
import { seedFeed } from "../support/seed.ts";
import { nameWebhook } from "./support.ts";

let gateway: TestGateway;
let readKey: string;
let writeKey: string;
const URL_OF_ONE = "https://93.184.215.14/hook";

beforeAll(async () => {
  gateway = await startTestGateway();
  // As clients call it.
  gateway.gateway.services.state.baseUrl = "https://93.184.215.20";
  const account = await gateway.createAccount();
  readKey = await gateway.createKey(account, "read");
  writeKey = await gateway.createKey(account, "write");
});
afterAll(() => gateway.stop());

async function refusalOf(key: string, body: object) {
  const { status, code } = await problemOf(await gateway.send("POST", "/v1/webhooks", key, body));
  return `${status} ${code}`;
}

test("addresses that may not be called are refused when they are named", async () => {
  for (const url of [
    "http://93.184.215.14/",
    "ftp://93.184.215.14/",
    "/hook",
    "https://user@93.184.215.14/",
    "https://user:secret@93.184.215.14/",
    "https://93.184.215.14/#part",
    "https://93.184.215.20/of-the-gateway",
    "https://127.0.0.1/",
    "https://2130706433/",
    "https://0x7f.1/",
    "https://localhost/",
    "https://10.1.2.3/",
    "https://169.254.169.254/latest",
    "https://[::1]/",
    "https://[::ffff:10.0.0.1]/",
    "https://[fd00::1]/",
    "https://no-such-host.invalid/",
  ]) {
    const refusal = await refusalOf(readKey, { url, types: ["feed.updated"] });
    expect([url, refusal]).toEqual([url, "422 WEBHOOK_URL_INVALID"]);
  }
});

test("a key may name only types of its permission, and feeds that it may be told of", async () => {
  const url = URL_OF_ONE;
  expect(await refusalOf(readKey, { url, types: ["feed.late"] })).toBe("403 NOTICE_TYPE_FORBIDDEN");
  expect(await refusalOf(writeKey, { url, types: ["feed.updated"] })).toBe(
    "403 NOTICE_TYPE_FORBIDDEN",
  );
  expect(await refusalOf(writeKey, { url, types: ["job.failed"] })).toBe(
    "403 NOTICE_TYPE_FORBIDDEN",
  );
  const doubled = { url, types: ["feed.updated", "feed.updated"] };
  const made = await gateway.send("POST", "/v1/webhooks", readKey, doubled);
  const { id, types: kept } = (await made.json()) as { id: string; types: string[] };
  expect(kept).toEqual(["feed.updated"]);
  await gateway.send("DELETE", `/v1/webhooks/${id}`, readKey, undefined);
  for (const types of [["none"], [], "feed.updated", ["webhook.test"]]) {
    expect(await refusalOf(readKey, { url, types })).toBe("422 VALIDATION_FAILED");
  }
  const other = await gateway.createAccount();
  const feed = await seedFeed(gateway, other, { type: "singleton", rows: [{ a: 1 }] });
  const late = { url, types: ["feed.late"], feed_ids: [feed.feedId] };
  expect(await refusalOf(writeKey, late)).toBe("404 FEED_NOT_FOUND");
  const updated = { url, types: ["feed.updated"], feed_ids: ["no-such-feed"] };
  expect(await refusalOf(readKey, updated)).toBe("404 FEED_NOT_FOUND");
});

test("a key sees no address of another account, or of another permission", async () => {
  const { id } = await nameWebhook(gateway, readKey, { url: URL_OF_ONE, types: ["feed.updated"] });
  const stranger = await gateway.createKey(await gateway.createAccount(), "read");
  for (const key of [stranger, writeKey]) {
    const send = (method: "GET" | "POST" | "PATCH" | "DELETE", path: string) =>
      gateway.send(method, `/v1/webhooks/${id}${path}`, key, method === "GET" ? undefined : {});
    expect((await send("GET", "")).status).toBe(404);
    expect((await send("GET", "/deliveries")).status).toBe(404);
    expect((await send("PATCH", "")).status).toBe(404);
    expect((await send("POST", "/rotate")).status).toBe(404);
    expect((await send("POST", "/test")).status).toBe(404);
    expect((await send("DELETE", "")).status).toBe(404);
  }
});

test("the 21st address is refused, also of many that come at the same time, until its key is revoked", async () => {
  const accountId = await gateway.createAccount();
  const key = await gateway.createKey(accountId, "read");
  const body = { url: URL_OF_ONE, types: ["feed.updated"] };
  const answers = await Promise.all(
    Array.from({ length: 25 }, () => gateway.send("POST", "/v1/webhooks", key, body)),
  );
  const statuses = answers.map(({ status }) => status);
  expect(statuses.filter((status) => status === 201).length).toBe(20);
  expect(statuses.filter((status) => status === 409).length).toBe(5);
  const other = await gateway.createKey(accountId, "read");
  const another = async () => (await gateway.send("POST", "/v1/webhooks", other, body)).status;
  // An expired key may be prolonged, and a revoked one may not.
  await gateway.sql`
    update api_keys set expires_at = now() where account_id = ${accountId} and key_start = ${startOf(key)}`;
  expect(await another()).toBe(409);
  await gateway.sql`
    update api_keys set revoked_at = now() where account_id = ${accountId} and key_start = ${startOf(key)}`;
  expect(await another()).toBe(201);
});
