import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { arrayLiteral } from "../../../src/postgres/client/array_literal.ts";
import type { Gateway } from "../../../src/server.ts";
import { startFollower } from "../../support/follower.ts";
import { startTestGateway, type TestGateway } from "../../support/gateway.ts";
import { seedFeed } from "../../support/seed.ts";

const FOLLOWERS = 4;
const CAUGHT_UP_MS_MAX = 30_000;
const DRAWS_MAX = 1_000_000;

let gateway: TestGateway;
let peer: Gateway;
let provider: string;
let write: string;

beforeAll(async () => {
  gateway = await startTestGateway({
    FEEDGATE_READ_LIMIT_PAID: "100000",
    FEEDGATE_PUSH_LIMIT: "100000",
  });
  peer = await gateway.startPeer();
  provider = await gateway.createAccount();
  write = await gateway.createKey(provider, "write");
});
afterAll(() => gateway.stop());

/** Few ids, so that pushes bring the same; any time, so that many are late. */
const event = fc.record({
  id: fc.integer({ min: 0, max: 400 }).map(String),
  event_timestamp: fc
    .date({ min: new Date("2020-01-01"), max: new Date("2026-01-01"), noInvalidDate: true })
    .map((date) => date.toISOString()),
});
const push = fc.record({
  rows: fc.uniqueArray(event, { maxLength: 30, selector: ({ id }) => id }),
  pauseMs: fc.integer({ min: 0, max: 30 }),
});
const pusher = fc.array(push, { minLength: 10, maxLength: 25 });
/** Evenly, or followers would ask without a pause and meet the limit of empty pages. */
const draws = fc.infiniteStream(fc.noBias(fc.integer({ min: 0, max: DRAWS_MAX - 1 })));

type Push = typeof push extends fc.Arbitrary<infer Value> ? Value : never;

async function pushAll(baseUrl: string, feedId: string, pushes: readonly Push[]): Promise<void> {
  for (const { rows, pauseMs } of pushes) {
    const response = await fetch(`${baseUrl}/v1/provider/feed/${feedId}/push`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${write}` },
      body: JSON.stringify(rows),
    });
    expect(response.status).toBe(200);
    await Bun.sleep(pauseMs);
  }
}

async function startReader(slug: string, random: () => number) {
  const account = await gateway.createAccount({ credits: 100_000 });
  const key = await gateway.createKey(account, "read");
  const ids: string[] = [];
  const usageIds: string[] = [];
  const problems: unknown[] = [];
  const follower = startFollower({
    baseUrl: () => (random() < 0.5 ? gateway.baseUrl : peer.baseUrl),
    feed: slug,
    key,
    pauseMs: 20,
    random,
    onPage(page) {
      ids.push(...page.data.map(({ id }) => id));
      usageIds.push(String(page._origin?.usage_id));
    },
    onProblem: (problem) => problems.push(problem),
  });
  return { account, ids, usageIds, problems, follower };
}

async function idsInOrder(feedId: string): Promise<string[]> {
  const rows = await gateway.sql`
    select row_id from stream_events where feed_id = ${feedId} order by position`;
  return rows.map((row) => row.row_id);
}

test("every follower gets every event once and in the order of commit, each page of it logged, while pushes through two processes race and connections end at random", async () => {
  await fc.assert(
    fc.asyncProperty(pusher, pusher, draws, async (one, other, drawn) => {
      const { feedId, slug } = await seedFeed(gateway, provider, {
        type: "stream",
        rows: [],
        callPriceNanos: 1_000,
      });
      const random = () => Number(drawn.next().value) / DRAWS_MAX;
      const readers = await Promise.all(
        Array.from({ length: FOLLOWERS }, () => startReader(slug, random)),
      );
      await Promise.all([
        pushAll(gateway.baseUrl, feedId, one),
        pushAll(peer.baseUrl, feedId, other),
      ]);
      const expected = await idsInOrder(feedId);
      const pushed = new Set([...one, ...other].flatMap(({ rows }) => rows.map(({ id }) => id)));
      expect(new Set(expected)).toEqual(pushed);
      const endMs = performance.now() + CAUGHT_UP_MS_MAX;
      while (readers.some(({ ids }) => ids.length < expected.length)) {
        if (performance.now() > endMs) break;
        await Bun.sleep(50);
      }
      // What came twice would come now.
      await Bun.sleep(100);
      await Promise.all(readers.map(({ follower }) => follower.stop()));
      for (const { account, ids, usageIds, problems } of readers) {
        expect([problems, ids]).toEqual([[], expected]);
        const logged = await gateway.sql`
          select usage_id from usage_events
          where account_id = ${account} and feed_id = ${feedId} and operation = 'stream'
            and charge_nanos = 1000 and usage_id = any (${arrayLiteral(usageIds)}::uuid[])`;
        expect([logged.length, new Set(usageIds).size]).toEqual([usageIds.length, usageIds.length]);
      }
    }),
    { numRuns: 3, endOnFailure: true },
  );
});
