import { afterAll, beforeAll, expect, test } from "bun:test";
import { LIMITS_DEFAULT, WINDOW_MS } from "../../src/limits.ts";
import type { Gateway } from "../../src/server.ts";
import { installClock, type TestClock } from "../support/database_clock.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { type SeededFeed, seedFeed } from "../support/seed.ts";

let gateway: TestGateway;
let clock: TestClock;
let peer: Gateway;
let feed: SeededFeed;

beforeAll(async () => {
  gateway = await startTestGateway();
  clock = await installClock(gateway.sql, gateway.databaseUrl);
  peer = await gateway.startPeer({ DATABASE_URL: clock.url });
  const owner = await gateway.createAccount();
  feed = await seedFeed(gateway, owner, { type: "collection", rows: [{ id: 1 }] });
});
afterAll(() => gateway.stop());

async function newKey(): Promise<string> {
  return gateway.createKey(await gateway.createAccount(), "read");
}

async function read(key: string): Promise<number> {
  const { status } = await fetch(`${peer.baseUrl}/v1/feed/${feed.slug}`, {
    headers: { "x-api-key": key },
  });
  return status;
}

test("a look-up of a key that finds the database's clock set back: hits that had left count again, of every account", async () => {
  const [key, other] = [await newKey(), await newKey()];
  for (let reads = 0; reads < LIMITS_DEFAULT.readsFree; reads++) expect(await read(key)).toBe(200);
  await clock.setAhead(WINDOW_MS + 1_000);
  // By a read of another account the gateway learns that the minute is over.
  expect(await read(other)).toBe(200);
  expect(await read(key)).toBe(200);
  await clock.setAhead(0);
  expect(await read(await newKey())).toBe(200);
  expect(await read(key)).toBe(429);
});
