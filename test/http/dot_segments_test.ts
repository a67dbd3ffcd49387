import { afterAll, beforeAll, expect, test } from "bun:test";
import { request } from "node:http";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { type SeededFeed, seedFeed } from "../support/seed.ts";

let gateway: TestGateway;
let feed: SeededFeed;
let readKey: string;
beforeAll(async () => {
  gateway = await startTestGateway();
  feed = await seedFeed(gateway, await gateway.createAccount(), {
    type: "collection",
    rows: [{ id: 1 }],
  });
  readKey = await gateway.createKey(await gateway.createAccount(), "read");
});
afterAll(() => gateway.stop());

/** As it stands: `fetch` would take the segments out before it sends the path. */
function statusOf(path: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(gateway.baseUrl);
    request({ hostname, port, path, headers: { "x-api-key": readKey } }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    })
      .on("error", reject)
      .end();
  });
}

test("a path with dot segments is the path without them", async () => {
  for (const path of [
    "/v1/feed/../catalog",
    "/v1/./search?q=gold",
    "/v1/feed/x/../../account",
    "/api/v1/./usage",
    `/v1/catalog/../feed/${feed.feedId}`,
    `/v1/./feed/${feed.feedId}/metadata`,
    "/docs/../healthz",
    "/v1/../readyz",
    "/v1/../metrics",
    "/v1/../docs",
    "/docs/./json",
    "/docs/../docs/assets/swagger-ui.css",
    "/./.well-known/agent-skills/index.json",
  ]) {
    expect([path, await statusOf(path)]).toEqual([path, 200]);
  }
  expect(await statusOf("/v1/feed/../nope")).toBe(404);
});
