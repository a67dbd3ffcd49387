/** Waits that end with their time, which is whole seconds. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { startTestGateway, type TestGateway } from "../../../support/gateway.ts";
import { seedFeed } from "../../../support/seed.ts";

let gateway: TestGateway;
let provider: string;
let write: string;
let reader: string;
let key: string;

beforeAll(async () => {
  gateway = await startTestGateway();
  provider = await gateway.createAccount();
  write = await gateway.createKey(provider, "write");
  reader = await gateway.createAccount({ credits: 1_000 });
  key = await gateway.createKey(reader, "read");
});
afterAll(() => gateway.stop());

const event = (id: string) => ({ id, event_timestamp: "2026-11-22T10:00:00Z" });

async function operations(): Promise<string[]> {
  const rows = await gateway.sql`
    select operation from usage_events where account_id = ${reader} order by usage_id`;
  return rows.map((row) => row.operation);
}

test("a long poll is 204 with the next offset where nothing came, uncharged", async () => {
  const { slug, feedId } = await seedFeed(gateway, provider, {
    type: "stream",
    rows: [event("a")],
    callPriceNanos: 1_000,
  });
  const before = (await operations()).length;
  const startMs = performance.now();
  const response = await gateway.get(`/v1/feed/${slug}/stream?offset=now&live=long-poll`, key, {
    Prefer: "wait=1",
  });
  expect(response.status).toBe(204);
  expect(performance.now() - startMs).toBeGreaterThan(950);
  expect((await operations()).length).toBe(before);
  const offset = response.headers.get("feedgate-next-offset") ?? "";
  await gateway.send("POST", `/v1/provider/feed/${feedId}/push`, write, [event("b")]);
  const query = `?live=long-poll&offset=${encodeURIComponent(offset)}`;
  const next = await gateway.get(`/v1/feed/${slug}/stream${query}`, key);
  expect(await next.json()).toMatchObject({ data: [{ id: "b" }] });
});

test("a conditional read with Prefer: wait is 304 when the time is up, uncharged; other preferences are ignored", async () => {
  const { slug } = await seedFeed(gateway, provider, { type: "singleton", texts: ["{}"] });
  const known = await gateway.get(`/v1/feed/${slug}`, key);
  const tag = known.headers.get("etag") ?? "";
  const before = (await operations()).length;
  for (const [preference, isWaited] of [
    ["wait=1", true],
    ["wait=0", false],
    ["wait=31", false],
    ["wait=abc", false],
    ["wait", false],
    ["waiting=1", false],
  ] as const) {
    const startMs = performance.now();
    const answer = await gateway.get(`/v1/feed/${slug}`, key, {
      "If-None-Match": tag,
      Prefer: preference,
    });
    expect(answer.status).toBe(304);
    expect([preference, performance.now() - startMs > 950]).toEqual([preference, isWaited]);
    expect(answer.headers.get("preference-applied")).toBe(isWaited ? "wait=1" : null);
  }
  expect((await operations()).length).toBe(before);
});
