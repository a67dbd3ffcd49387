import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { Waits } from "../../src/feeds/waits.ts";
import { present } from "../../src/lib/assert.ts";
import { shareTestGateway, type TestGateway } from "../support/gateway.ts";
import { seedFeed } from "../support/seed.ts";

const POLL_MS = 20;

let gateway: TestGateway;
let feedId: string;
let waits: Waits;

beforeAll(async () => {
  gateway = await shareTestGateway();
});
afterAll(() => gateway.stop());
beforeEach(async () => {
  const owner = await gateway.createAccount();
  ({ feedId } = await seedFeed(gateway, owner, { type: "stream", rows: [] }));
  waits = new Waits({ ...gateway.gateway.services, pollMs: POLL_MS });
});

/** How a wait with this version ends. */
function wait(version: bigint, { msMax = 5_000, signal = new AbortController().signal } = {}) {
  const place = waits.enter(crypto.randomUUID(), signal);
  return present(place).until({ feedId, version, msMax });
}

async function setVersion(version: number): Promise<void> {
  await gateway.sql`update feeds set data_version = ${version} where feed_id = ${feedId}`;
}

test("a move wakes those that have another version, whatever the others have", async () => {
  for (const versions of [
    [1n, 1n],
    [1n, 2n, 1n],
    [2n, 1n, 3n],
  ]) {
    const ends = versions.map((version) => wait(version, { msMax: 3 * POLL_MS }));
    // The same as the poll would find.
    await setVersion(2);
    waits.moved(feedId, 2n);
    expect(await Promise.all(ends)).toEqual(
      versions.map((version) => (version === 2n ? "time_up" : "moved")),
    );
  }
});

test("a push through another process is found, and so is a feed that can't be read any more", async () => {
  const first = wait(1n);
  await setVersion(2);
  expect(await first).toBe("moved");
  const second = wait(2n);
  await gateway.sql`update feeds set status = 'inactive' where feed_id = ${feedId}`;
  expect(await second).toBe("moved");
});

test("a wait ends with its time, with its client, and with a drain, after which none begins", async () => {
  const startMs = performance.now();
  expect(await wait(1n, { msMax: 60 })).toBe("time_up");
  expect(performance.now() - startMs).toBeGreaterThanOrEqual(60);
  const leaving = new AbortController();
  const left = wait(1n, { signal: leaving.signal });
  leaving.abort();
  expect(await left).toBe("gone");
  expect(await wait(1n, { signal: leaving.signal })).toBe("gone");
  const place = present(waits.enter("account", new AbortController().signal));
  // One place, one wait behind the other.
  for (const msMax of [60, 1]) {
    expect(await place.until({ feedId, version: 1n, msMax })).toBe("time_up");
  }
  const drained = [wait(1n), wait(1n)];
  waits.drain();
  expect(await Promise.all(drained)).toEqual(["draining", "draining"]);
  expect(await wait(1n)).toBe("draining");
});

test("nobody waits: no statement is sent", async () => {
  expect(await wait(1n, { msMax: POLL_MS })).toBe("time_up");
  const { database } = gateway.gateway.services;
  // What was asked with the last tick.
  await Bun.sleep(POLL_MS);
  const before = database.statementCount;
  await Bun.sleep(3 * POLL_MS);
  expect(database.statementCount - before).toBeLessThanOrEqual(1);
});

test("a wait says which version ended it", async () => {
  const place = present(waits.enter(crypto.randomUUID(), new AbortController().signal));
  const first = place.until({ feedId, version: 1n, msMax: 5_000 });
  await setVersion(7);
  expect([await first, place.movedTo]).toEqual(["moved", 7n]);
  const second = place.until({ feedId, version: 7n, msMax: 5_000 });
  waits.moved(feedId, undefined);
  expect([await second, place.movedTo]).toEqual(["moved", undefined]);
});

test("a topic is looked at once for all that wait for it, and not while nobody does", async () => {
  let version = 1n;
  let looks = 0;
  waits.addTopic("weather", {
    look: async () => {
      looks += 1;
      return version;
    },
    everyMs: 0,
  });
  await Bun.sleep(3 * POLL_MS);
  expect(looks).toBe(0);
  const watch = () =>
    present(waits.enter(crypto.randomUUID(), new AbortController().signal)).until({
      feedId: "weather",
      version: 1n,
      msMax: 5_000,
    });
  const ends = [watch(), watch(), watch(), wait(1n)];
  await Bun.sleep(4 * POLL_MS);
  expect(looks).toBeLessThanOrEqual(4);
  version = 2n;
  expect(await Promise.all(ends.slice(0, 3))).toEqual(["moved", "moved", "moved"]);
  await setVersion(2);
  expect(await ends[3]).toBe("moved");
});

test("a topic is looked at no more often than it asks for, and a look that fails harms nobody", async () => {
  let looks = 0;
  waits.addTopic("slow", {
    look: async () => {
      looks += 1;
      throw new Error("the database is away");
    },
    everyMs: 100 * POLL_MS,
  });
  const place = present(waits.enter(crypto.randomUUID(), new AbortController().signal));
  const end = place.until({ feedId: "slow", version: 1n, msMax: 6 * POLL_MS });
  expect(await end).toBe("time_up");
  expect(looks).toBe(1);
});
