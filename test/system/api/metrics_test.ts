import { afterAll, expect, test } from "bun:test";
import { startTestGateway } from "../../support/gateway.ts";
import { seedFeed } from "../../support/seed.ts";

const gateway = await startTestGateway();
afterAll(() => gateway.stop());
const owner = await gateway.createAccount();
// An owner reads its own feeds free.
const readKey = await gateway.createKey(await gateway.createAccount({ credits: 100 }), "read");
const paid = await seedFeed(gateway, owner, {
  type: "collection",
  rows: [{ id: 1 }, { id: 2 }],
  callPriceNanos: 1_500,
});

/** Value of a sample by its name and labels as printed. */
async function samples(): Promise<Map<string, number>> {
  const text = await (await gateway.get("/metrics")).text();
  return new Map(
    text
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#"))
      .map((line) => {
        const at = line.lastIndexOf(" ");
        return [line.slice(0, at), Number(line.slice(at + 1))];
      }),
  );
}

/** What the calls added to a sample. */
async function added(calls: () => Promise<unknown>): Promise<(name: string) => number> {
  const before = await samples();
  await calls();
  const after = await samples();
  return (name) => (after.get(name) ?? 0) - (before.get(name) ?? 0);
}

test("a call's time is without what it was asked to wait for a change", async () => {
  const stream = await seedFeed(gateway, owner, { type: "stream", rows: [] });
  const asked = async () => {
    const path = `/v1/feed/${stream.slug}/stream?offset=now&live=long-poll`;
    expect((await gateway.get(path, readKey, { Prefer: "wait=1" })).status).toBe(204);
    const { headers } = await gateway.get(`/v1/feed/${paid.slug}`, readKey);
    const waiting = { "If-None-Match": headers.get("etag") ?? "", Prefer: "wait=1" };
    expect((await gateway.get(`/v1/feed/${paid.slug}`, readKey, waiting)).status).toBe(304);
  };
  const startedMs = performance.now();
  const by = await added(asked);
  expect(performance.now() - startedMs).toBeGreaterThan(2_000);
  for (const route of ["/v1/feed/{id}/stream", "/v1/feed/{id}"]) {
    const sum = by(`feedgate_http_request_duration_seconds_sum{route="${route}"}`);
    expect([route, sum > 0, sum < 0.9]).toEqual([route, true, true]);
  }
});
