import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { histories } from "../support/histories.ts";
import { type PushScene, startPushScene } from "../support/push_scene.ts";

const RUNS = histories(8);

let scene: PushScene;
let readKey: string;

beforeAll(async () => {
  scene = await startPushScene({ FEEDGATE_DISCOVERY_LIMIT: "1000" });
  const { gateway } = scene;
  readKey = await gateway.createKey(await gateway.createAccount(), "read");
});
afterAll(() => scene.gateway.stop());

async function push(id: string, body: unknown): Promise<number> {
  return (await scene.push(id, body)).status;
}

async function metadata(id: string): Promise<Record<string, unknown>> {
  const response = await scene.gateway.get(`/v1/feed/${id}/metadata`, readKey);
  return (await response.json()) as Record<string, unknown>;
}

/** By batch, what is in the tables. */
async function expectTotals(id: string): Promise<void> {
  const { sql } = scene.gateway;
  const counted = await sql`
    select batch_number, count(*) as row_count, sum(octet_length(payload::text)) as payload_bytes
    from (
      select batch_number, payload from collection_rows where feed_id = ${id}
      union all
      select 0, payload from stream_events where feed_id = ${id}
      union all
      select 0, payload from documents where feed_id = ${id}
    ) as stored
    group by batch_number
    order by batch_number`;
  const kept = await sql`
    select batch_number, row_count, payload_bytes
    from row_totals
    where feed_id = ${id} and row_count > 0
    order by batch_number`;
  expect(kept.map((row) => ({ ...row }))).toEqual(counted.map((row) => ({ ...row })));
}

const id = fc.integer({ min: 1, max: 4 }).map(String);
const row = fc.record({ id, text: fc.constantFrom("", "x", "longer", "é") });
const rows = fc.uniqueArray(row, { minLength: 1, maxLength: 4, selector: (each) => each.id });
const batch = fc.record(
  { batch_id: fc.constantFrom("a", "b", "c"), batch_complete: fc.boolean() },
  { requiredKeys: [] },
);

test("a collection's totals are those of its rows after every push", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(rows, batch), { minLength: 1, maxLength: 8 }),
      async (steps) => {
        const feed = await scene.createFeed({ type: "collection" });
        for (const [payload, named] of steps) {
          expect([200, 409]).toContain(await push(feed, { payload, ...named }));
          await expectTotals(feed);
        }
      },
    ),
    { numRuns: RUNS },
  );
});

test("a stream's totals are those of its events after every push", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(rows, { minLength: 1, maxLength: 6 }), async (steps) => {
      const feed = await scene.createFeed({ type: "stream" });
      for (const payload of steps) {
        expect(await push(feed, { payload })).toBe(200);
        await expectTotals(feed);
      }
    }),
    { numRuns: RUNS },
  );
});

test("a singleton's totals are those of its document after every push", async () => {
  const feed = await scene.createFeed({ type: "singleton" });
  for (const text of ["", "longer", "x", "x", "é"]) {
    expect(await push(feed, { text })).toBe(200);
    await expectTotals(feed);
  }
});

test("a dry run changes no totals", async () => {
  const feed = await scene.createFeed({ type: "stream" });
  await push(feed, [{ id: "a" }]);
  await scene.push(feed, [{ id: 2 }], { query: "?dry_run=true" });
  await expectTotals(feed);
});

test("rows of a retired batch leave the totals with it", async () => {
  const feed = await scene.createFeed({ type: "collection" });
  for (const last of [1, 2]) await push(feed, { payload: [{ id: last }], batch_complete: true });
  await scene.gateway.sql`
    update batches set retired_at = now() - interval '1 day'
    where feed_id = ${feed} and status = 'retired'`;
  const { database } = scene.gateway.gateway.services;
  const now = "2030-01-01T00:00:00Z";
  await database.rows("run_job", {
    job: "retired batches",
    moment: now,
    pause: "1 second",
    age: "15 minutes",
    amount: 100,
    work_max: null,
  });
  await expectTotals(feed);
  expect(await scene.gateway.sql`select from row_totals where feed_id = ${feed}`).toHaveLength(1);
});

test("metadata shows how many rows and bytes there are, and what all of them cost", async () => {
  const price = (feed: string, pricing: object) =>
    scene.gateway.send("PATCH", `/v1/provider/feed/${feed}/edit`, scene.key, pricing);
  const collection = await scene.createFeed({ type: "collection" });
  await price(collection, { price_per_1k: 1.5 });
  const payload = Array.from({ length: 250 }, (_, place) => ({ id: place }));
  await push(collection, { payload, batch_complete: true });
  const bytes = payload.reduce((sum, each) => sum + JSON.stringify(each).length, 0);
  // Three pages of 100 rows, each at 1,500 credits.
  expect(await metadata(collection)).toMatchObject({
    row_count: 250,
    bytes,
    credits_to_read_all: 4_500,
  });
  await push(collection, { payload: [{ id: 1 }], batch_complete: true });
  expect(await metadata(collection)).toMatchObject({ row_count: 1, credits_to_read_all: 1_500 });

  const singleton = await scene.createFeed({ type: "singleton" });
  await push(singleton, { name: "é" });
  expect(await metadata(singleton)).toMatchObject({
    row_count: 1,
    bytes: Buffer.byteLength('{"name":"é"}'),
    credits_to_read_all: 0,
  });
  const sold = await scene.createFeed({ type: "stream" });
  await price(sold, { one_time_price_cents: 500 });
  await push(sold, [{ id: 1 }]);
  expect(await metadata(sold)).toMatchObject({ row_count: 1, credits_to_read_all: 5_000_000 });
});
