import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { createDatabase, type Database } from "../../../src/postgres/client/database.ts";
import { problemOf } from "../../support/gateway.ts";
import { histories } from "../../support/histories.ts";
import { type PushScene, startPushScene } from "../../support/push_scene.ts";
import { seedFeed } from "../../support/seed.ts";

let scene: PushScene;
let database: Database;
let key: string;
let reader: string;
beforeAll(async () => {
  scene = await startPushScene({ FEEDGATE_READ_LIMIT_FREE: "1000000" });
  database = createDatabase(scene.gateway.sql);
  reader = await scene.gateway.createAccount({ credits: 1_000 });
  key = await scene.gateway.createKey(reader, "read");
});
afterAll(() => scene.gateway.stop());

const get = (path: string, headers: Record<string, string> = {}) =>
  scene.gateway.get(`/v1/feed/${path}`, key, headers);
const head = (path: string) =>
  fetch(`${scene.gateway.baseUrl}/v1/feed/${path}`, {
    method: "HEAD",
    headers: { "x-api-key": key },
  });

type Source = "collection" | "stream";

/** Indexes all that the feed has. */
async function indexAll(feedId: string, source: Source, workMax = 10_000_000n): Promise<void> {
  const { current_batch: batch } = await scene.feed(feedId);
  const of = {
    feed_id: feedId,
    batch_number: source === "stream" ? 0n : batch,
    work_max: workMax,
  };
  while ((await database.row("index_filter_rows", of))?.has_more) {}
}

test("a filter's name that no row has is a mistake, whatever the method and If-None-Match", async () => {
  const rows = [{ id: 1, a: 1 }];
  const { slug } = await seedFeed(scene.gateway, scene.accountId, { type: "collection", rows });
  const any = { "If-None-Match": "*" };
  for (const query of ["nope=eq.1", "a=eq.1&nope=eq.2"]) {
    const answers = [
      get(`${slug}?${query}`),
      get(`${slug}?${query}`, any),
      head(`${slug}?${query}`),
    ];
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([400, 400, 400]);
  }
  expect((await get(`${slug}?a=eq.2`, any)).status).toBe(304);
});

describe("a filter on a fresh feed", () => {
  for (const type of ["collection", "stream"] as const) {
    test(`of a small ${type} is answered by its rows, and goes on by the index when that is there`, async () => {
      // Much more than a read of a large feed looks through.
      const rows = Array.from({ length: 15_000 }, (_, id) => ({
        id,
        kind: id % 500,
        pad: "x".repeat(200),
        event_timestamp: new Date(Date.UTC(2026, 0, 1) + ((id * 7) % 900) * 1_000).toISOString(),
      }));
      const { feedId, slug } = await seedFeed(scene.gateway, scene.accountId, { type, rows });
      interface Page {
        readonly data: readonly { readonly id: number }[];
        readonly next_cursor: string | null;
      }
      const page = async (query: string): Promise<Page> => {
        const response = await get(`${slug}?kind=eq.7&limit=7${query}`);
        expect(response.status).toBe(200);
        return (await response.json()) as Page;
      };
      const walk = async () => {
        const ids: number[] = [];
        let cursor = "";
        for (;;) {
          const { data, next_cursor } = await page(cursor);
          ids.push(...data.map(({ id }) => id));
          if (next_cursor === null) return ids;
          cursor = `&cursor=${next_cursor}`;
        }
      };
      const fresh = await page("");
      const before = await walk();
      expect(before).toHaveLength(30);
      await indexAll(feedId, type);
      await scene.gateway.sql`
        update feeds set data_version = data_version + 1 where feed_id = ${feedId}`;
      expect(await walk()).toEqual(before);
      const next = await page(`&cursor=${fresh.next_cursor}`);
      expect([...fresh.data, ...next.data].map(({ id }) => id)).toEqual(before.slice(0, 14));
    });
  }
});

test("a filtered walk that has begun goes to its end, whatever becomes of the field", async () => {
  const { feedId, slug } = await seedFeed(scene.gateway, scene.accountId, {
    type: "stream",
    rows: [1, 2, 3].map((id) => ({ id, g: 1, event_timestamp: `2026-01-0${4 - id}T00:00:00Z` })),
  });
  const page = async (rest: string) => {
    const response = await get(`${slug}?g=eq.1&limit=1${rest}`);
    const body = (await response.json()) as { data: object[]; next_cursor: string | null };
    return [response.status, body] as const;
  };
  const [, { next_cursor: cursor }] = await page("");
  await scene.gateway.sql`
    update feeds
    set schema_definition = '{"properties":{"h":{}}}', schema_locked = true,
      definition_version = definition_version + 1
    where feed_id = ${feedId}`;
  expect(await page(`&cursor=${cursor}`)).toMatchObject([200, { data: [{ id: 2 }] }]);
  expect((await page(""))[0]).toBe(400);
  await scene.gateway
    .sql`update feeds set schema_locked = false, definition_version = definition_version + 1
    where feed_id = ${feedId}`;
  await scene.gateway.sql`delete from stream_events where feed_id = ${feedId} and row_id <> '3'`;
  await scene.gateway.sql`update stream_events set payload = '{"id":3}' where feed_id = ${feedId}`;
  await scene.gateway
    .sql`update feeds set data_version = data_version + 1 where feed_id = ${feedId}`;
  expect(await page(`&cursor=${cursor}`)).toMatchObject([200, { data: [], next_cursor: null }]);
  expect((await page(""))[0]).toBe(400);
});

describe("beyond 12: a filter by a name that no row has", () => {
  const ROWS = [
    { id: 1, place: "Chile", magnitude: 4.5 },
    { id: 2, place: "Japan", depth: null },
  ];

  for (const type of ["collection", "stream"] as const) {
    test(`of a ${type} without a locked schema is 400 with the nearest names, uncharged`, async () => {
      const of = { type, rows: ROWS, callPriceNanos: 1_000 };
      const timed = ROWS.map((row) => ({ ...row, event_timestamp: "2026-01-01T00:00:00Z" }));
      const { feedId, slug } = await seedFeed(scene.gateway, scene.accountId, {
        ...of,
        rows: type === "stream" ? timed : ROWS,
      });
      const balance = async () =>
        (
          await scene.gateway.sql`select balance_nanos from accounts where account_id = ${reader}`
        )[0]?.balance_nanos;
      const before = await balance();
      for (const round of ["fresh", "indexed"]) {
        for (const [query, detail] of [
          ["plcae=eq.Chile", 'Rows of this feed have no field "plcae". Did you mean "place"?'],
          ["place=eq.Chile&magnitud=eq.9", 'no field "magnitud". Did you mean "magnitude"?'],
          ["banana=eq.1&limit=5&offset=3", "Filter by id, place, "],
        ] as const) {
          const { body, ...problem } = await problemOf(await get(`${slug}?${query}`));
          expect({ round, query, ...problem }).toMatchObject({
            status: 400,
            code: "INVALID_PARAMETER",
          });
          expect(body.detail).toContain(detail);
          expect((await head(`${slug}?${query}`)).status).toBe(400);
        }
        expect((await get(`${slug}?plcae=eq.x`, { "If-None-Match": '"x"' })).status).toBe(400);
        await indexAll(feedId, type);
      }
      expect(await balance()).toBe(before);
      // Names of some rows only, and those that every row may have.
      for (const query of ["depth=eq.7", "place=eq.Peru", "id=eq.9", "event_timestamp=eq.x"]) {
        expect((await head(`${slug}?${query}`)).status).toBe(200);
        const response = await get(`${slug}?${query}`);
        expect([query, response.status, (await response.json()) as object]).toMatchObject([
          query,
          200,
          { data: [] },
        ]);
      }
      // No text holds a NUL: the name is right.
      expect((await get(`${slug}?place=eq.%00`)).status).toBe(200);
    });
  }

  test("is shown as a filter writes it, where it holds a dot", async () => {
    const rows = [{ id: 1, a: 1, "a.b": 3 }];
    const { slug } = await seedFeed(scene.gateway, scene.accountId, { type: "collection", rows });
    const { body } = await problemOf(await get(`${slug}?a_b=eq.3`));
    expect(body.detail).toContain('"payload.a.b"');
    const read = await get(`${slug}?payload.a.b=eq.3`);
    expect(await read.json()).toMatchObject({ data: rows });
  });

  test("is one that the filter has, though its value holds a NUL", async () => {
    const properties = { id: { type: "integer" }, place: { type: "string" } };
    const feedId = await scene.createFeed({ type: "collection", schema: { properties } });
    await scene.push(feedId, [{ id: 1, place: "Chile" }]);
    const response = await get(`${feedId}?place=eq.%00`);
    expect(await response.json()).toMatchObject({ data: [] });
  });

  test("is not refused if the feed's schema names it, at any depth, or has no rows", async () => {
    const feedId = await scene.createFeed({ type: "collection" });
    expect((await scene.push(feedId, [])).status).toBe(200);
    expect((await get(`${feedId}?anything=eq.1`)).status).toBe(404);
    await scene.push(feedId, [{ id: 1, place: "Chile" }]);
    const schema = { allOf: [{ properties: { place: {}, tsunami: { type: "boolean" } } }] };
    await scene.gateway.sql`
      update feeds
      set schema_definition = ${JSON.stringify(schema)}, definition_version = definition_version + 1
      where feed_id = ${feedId}`;
    expect((await get(`${feedId}?tsunami=eq.true`)).status).toBe(200);
    expect((await get(`${feedId}?tsunamy=eq.true`)).status).toBe(400);
    await scene.gateway.sql`
      update feeds
      set schema_definition = '{"patternProperties":{"^t":{}}}',
        definition_version = definition_version + 1
      where feed_id = ${feedId}`;
    expect((await get(`${feedId}?tsunamy=eq.true`)).status).toBe(200);
    await scene.push(feedId, { payload: [], batch_complete: true });
    expect((await get(`${feedId}?banana=eq.1`)).status).toBe(200);
  });

  test("a name that comes with a push is found from then on", async () => {
    const feedId = await scene.createFeed({ type: "stream" });
    await scene.push(feedId, [{ id: 1, place: "Chile" }]);
    expect((await get(`${feedId}?depth=eq.1`)).status).toBe(400);
    await scene.push(feedId, [{ id: 2, depth: 7 }]);
    expect((await get(`${feedId}?depth=eq.1`)).status).toBe(200);
    expect((await get(`${feedId}?depth=eq.7`)).status).toBe(200);
  });

  test("of a large feed the index knows the names: it never misses one that a row has, whatever is pushed, replaced and indexed", async () => {
    const NAMES = ["a", "b", "c", "d", ""];
    const step = fc.record({
      rows: fc.array(
        fc.record({ id: fc.nat({ max: 5 }), names: fc.subarray(NAMES, { maxLength: 2 }) }),
        { maxLength: 4 },
      ),
      workMax: fc.constantFrom<number | undefined>(undefined, 1, 500, 1_000_000),
    });
    const types = fc.constantFrom<Source>("collection", "stream");
    let absent = 0;
    await fc.assert(
      fc.asyncProperty(types, fc.array(step, { maxLength: 8 }), async (type, steps) => {
        const feedId = await scene.createFeed({ type });
        for (const { rows, workMax } of steps) {
          const unique = [...new Map(rows.map((row) => [row.id, row])).values()];
          const payload = unique.map(({ id, names }) => ({
            id,
            ...Object.fromEntries(names.map((name) => [name, [1]])),
          }));
          expect((await scene.push(feedId, payload)).status).toBe(200);
          const { current_batch: batch } = await scene.feed(feedId);
          const number = type === "stream" ? 0n : batch;
          if (workMax !== undefined) {
            await database.row("index_filter_rows", {
              feed_id: feedId,
              batch_number: number,
              work_max: BigInt(workMax),
            });
          }
          const texts = await (type === "stream" ? scene.events(feedId) : scene.shown(feedId));
          const there = new Set(texts.flatMap((text) => Object.keys(JSON.parse(text))));
          for (const name of NAMES) {
            // As if the feed were large.
            const [found] = await scene.gateway.sql`
              select absent_field(${feedId}, ${String(number)}, array[${name}], -1, 100) as absent`;
            if (found?.absent === null) continue;
            absent += 1;
            expect({ name, isThere: there.has(name) }).toEqual({ name, isThere: false });
          }
        }
      }),
      { numRuns: histories(20) },
    );
    expect(absent).toBeGreaterThan(50);
  });

  test("an index that noted no names, or went on without, decides nothing", async () => {
    const feedId = await scene.createFeed({ type: "stream" });
    await scene.push(feedId, [{ id: 1, place: "Chile" }]);
    const absent = async (unindexedMax = 100) =>
      (
        await scene.gateway.sql`
          select absent_field(${feedId}, 0, array['banana'], -1, ${unindexedMax}) as absent`
      )[0]?.absent;
    expect(await absent()).toBeNull();
    await indexAll(feedId, "stream");
    expect(await absent()).toBe("banana");
    await scene.push(feedId, [{ id: 2 }, { id: 3 }]);
    expect(await absent()).toBe("banana");
    expect(await absent(1)).toBeNull();
    // As a version that knows of no names would index them.
    await scene.gateway.sql`
      update filter_indexes set indexed_position = 2 where feed_id = ${feedId}`;
    expect(await absent()).toBeNull();
    await indexAll(feedId, "stream");
    expect(await absent()).toBeNull();
  });
});
