import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { arrayLiteral } from "../../../src/postgres/client/array_literal.ts";
import { type Connections, connect } from "../../../src/postgres/client/connect.ts";
import { createDatabase, type Database } from "../../../src/postgres/client/database.ts";
import { inFunctionSet } from "../../../src/postgres/migrate/function_set.ts";
import { type Filter, readFilter } from "../../../src/read/data/filters.ts";
import { histories } from "../../support/histories.ts";
import { type PushScene, startPushScene } from "../../support/push_scene.ts";
import { seedFeed } from "../../support/seed.ts";

let scene: PushScene;
let database: Database;
beforeAll(async () => {
  scene = await startPushScene();
  database = createDatabase(scene.gateway.sql);
});
afterAll(() => scene.gateway.stop());

type Source = "collection" | "stream";

/** More than all rows of a small feed, in bytes. */
const WORK_AMPLE = 10_000_000;
const NAMES = ["a", "b", "kind", "", "x.y", "__proto__", "é"];
const VALUES = [
  "5",
  "5.0",
  "5e0",
  '"5"',
  '"5.0"',
  "-0",
  "0",
  "true",
  '"true"',
  "false",
  "null",
  '"null"',
  '""',
  '"a b"',
  '"\\u00e9\\n"',
  "12345678901234567890.10",
  "12345678901234567890.1",
  "[5]",
  '{"5":5}',
  '"🦊"',
  "0e-16384",
  '"10e5 \\" 0e5"',
];
const ASKED = [
  ...["5", "5.0", "5e0", "05", "true", "null", "", "a b", "é\n", "🦊", "nothing", "{}", "[5]"],
  ...["-0", "0", "0e-99999", "12345678901234567890.1", "1e999", "\0", '10e5 " 0e5'],
];

const rowArbitrary = fc.record({
  id: fc.nat({ max: 9 }),
  fields: fc.uniqueArray(fc.tuple(fc.constantFrom(...NAMES), fc.constantFrom(...VALUES)), {
    selector: ([name]) => name,
    minLength: 1,
    maxLength: 5,
  }),
  second: fc.nat({ max: 5 }),
  // Of more fields than a row has entries in the index.
  isWide: fc.nat({ max: 7 }).map((number) => number === 0),
});
const WIDE = Array.from({ length: 201 }, (_, index) => `"f${index}":0`);
const rowsArbitrary = fc.uniqueArray(rowArbitrary, { selector: ({ id }) => id, maxLength: 12 });
const filtersArbitrary = fc.array(fc.tuple(fc.constantFrom(...NAMES), fc.constantFrom(...ASKED)), {
  minLength: 1,
  maxLength: 3,
});
const readArbitrary = fc.record({
  filters: filtersArbitrary,
  workMax: fc.constantFrom<number>(0, 1_500, 10_000, WORK_AMPLE),
  rowsMax: fc.integer({ min: 1, max: 12 }),
  skipped: fc.constantFrom<number>(0, 0, 5, 20),
});
/** Pushes or indexes, then reads. */
const stepArbitrary = fc.record({
  rows: fc.option(rowsArbitrary, { nil: undefined, freq: 2 }),
  workMax: fc.constantFrom(1, 1_500, 1_000_000),
  reads: fc.array(readArbitrary, { minLength: 2, maxLength: 6 }),
});
type Read = typeof readArbitrary extends fc.Arbitrary<infer Value> ? Value : never;
type Row = typeof rowArbitrary extends fc.Arbitrary<infer Value> ? Value : never;

function textOf({ id, fields, second, isWide }: Row): string {
  const time = `"event_timestamp":"2026-01-01T00:00:0${second}Z"`;
  const members = fields.map(([name, value]) => `${JSON.stringify(name)}:${value}`);
  return `{${[`"id":${id}`, time, ...members, ...(isWide ? WIDE : [])].join(",")}}`;
}

function filtersOf(pairs: readonly (readonly [string, string])[]): Filter[] {
  return pairs.map(([name, text]) => readFilter(`payload.${name}`, `eq.${text}`));
}

const MEETS = "row_matches(payload, $2::text[], $3::text[], $4::text[]::jsonb[])";
const FILTERS = "$2::text[], $3::text[], $4::text[]::jsonb[]";

/** The fast way and the slow one, as queries of positions. */
function waysOf(source: Source, { skipped, rowsMax, workMax }: Read) {
  if (source === "collection") {
    const batch = "(select current_batch from feeds where feed_id = $1)";
    return {
      fast: `select row_position
        from match_collection_rows($1, ${batch}, ${skipped}, ${rowsMax}, ${FILTERS}, ${workMax})`,
      slow: `select position
        from collection_rows
        where feed_id = $1 and batch_number = ${batch} and position > ${skipped} and ${MEETS}
        order by position
        limit ${rowsMax}`,
    };
  }
  const [start, end] = ["'2026-01-01T00:00:01Z'", "'2026-01-01T00:00:04Z'"];
  return {
    fast: `select row_position
      from match_stream_rows(
        $1, ${end}, ${2n ** 63n - 1n}, ${start}, ${rowsMax}, ${FILTERS}, ${workMax})`,
    slow: `select position
      from stream_events
      where feed_id = $1 and event_at between ${start} and ${end} and ${MEETS}
      order by event_at desc, position desc
      limit ${rowsMax}`,
  };
}

/** What the fast way finds and what `row_matches` finds on every row, seen at one moment. */
async function findBothWays(feedId: string, source: Source, read: Read) {
  const filters = filtersOf(read.filters);
  const { fast, slow } = waysOf(source, read);
  const [row] = await scene.gateway.sql.unsafe(
    `select array(${fast})::text as fast, array(${slow})::text as slow`,
    [
      feedId,
      arrayLiteral(filters.map(({ name }) => name)),
      arrayLiteral(filters.map(({ text }) => text)),
      arrayLiteral(filters.map(({ literal }) => literal)),
    ],
  );
  return row as unknown as { fast: string; slow: string };
}

async function pushRows(feedId: string, rows: readonly Row[]): Promise<void> {
  const pushed = await scene.push(feedId, `[${rows.map(textOf).join(",")}]`);
  expect(pushed.status).toBe(200);
}

/** One step. */
async function indexRows(feedId: string, source: Source, workMax: number): Promise<boolean> {
  const feed = await scene.feed(feedId);
  const batchNumber = source === "stream" ? 0n : (feed.current_batch as bigint | null);
  if (batchNumber === null) return false;
  const parameters = { feed_id: feedId, batch_number: batchNumber, work_max: BigInt(workMax) };
  return (await database.row("index_filter_rows", parameters))?.has_more === true;
}

async function indexAll(feedId: string, source: Source): Promise<void> {
  while (await indexRows(feedId, source, WORK_AMPLE)) {}
}

/** How far the feed is indexed; undefined if it has no index. */
async function indexedPosition(feedId: string): Promise<number | undefined> {
  const [row] = await scene.gateway.sql`
    select indexed_position::int as position from filter_indexes where feed_id = ${feedId}`;
  return row?.position;
}

/** One pass of the job that indexes what has this many rows without an index. */
async function indexLargeBatches(unindexedMin: number): Promise<void> {
  const now = new Date().toISOString();
  const parameters = {
    job: "filter indexes",
    moment: now,
    pause: "0 seconds",
    age: null,
    amount: unindexedMin,
    work_max: 10_000n,
  };
  while ((await database.row("run_job", parameters))?.is_more) {}
}

/** Pushes rows of these numbers and indexes them. */
async function fill(
  feedId: string,
  source: Source,
  of: { from: number; count: number; rowOf: (id: number) => object },
): Promise<void> {
  for (let first = of.from; first < of.from + of.count; first += 500) {
    const rows = Array.from({ length: 500 }, (_, at) => of.rowOf(first + at));
    expect((await scene.push(feedId, rows)).status).toBe(200);
  }
  await indexAll(feedId, source);
}

/** Rows of a table of this name that the transaction has fetched. */
async function rowsFetched(session: Connections, table: string): Promise<number> {
  const [row] = await session`
    select max(seq_tup_read + idx_tup_fetch)::int as rows
    from pg_stat_xact_user_tables
    where relname like ${table}`;
  return row?.rows ?? 0;
}

describe("filter index", () => {
  for (const source of ["collection", "stream"] as const) {
    test(`${source}: finds what row_matches finds, after any pushes, however much is indexed`, async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(stepArbitrary, { maxLength: 10 }), async (steps) => {
          const feedId = await scene.createFeed({ type: source });
          for (const { rows, workMax, reads } of steps) {
            if (rows === undefined) await indexRows(feedId, source, workMax);
            else await pushRows(feedId, rows);
            for (const read of reads) {
              const { fast, slow } = await findBothWays(feedId, source, read);
              // It may be refused if what it looks through is bounded.
              if (!fast.includes("NULL")) expect(fast).toBe(slow);
              else expect(read.workMax).toBeLessThan(WORK_AMPLE);
            }
          }
        }),
        { numRuns: histories(15) },
      );
    });

    test(`${source}: is exact at every moment while pushes and indexing run`, async () => {
      const feedId = await scene.createFeed({ type: source });
      const rows = (count: number) => fc.sample(rowArbitrary, count);
      const unique = (all: Row[]) => [...new Map(all.map((row) => [row.id, row])).values()];
      let isPushing = true;
      let compared = 0;
      let matched = 0;
      // As many rounds as the reads need to have compared something, however the machine shares its time out;
      // and never far ahead of them, since they look through every row there is.
      const push = async () => {
        const isEnough = () => compared > 50 && matched > 10;
        for (let round = 0; round < 30 || (round < 1_000 && !isEnough()); round++) {
          while (round > 10 + compared) await Bun.sleep(1);
          const fresh = source === "stream" ? round * 100 : 0;
          await pushRows(
            feedId,
            unique(rows(20)).map((row) => ({ ...row, id: row.id + fresh })),
          );
        }
        isPushing = false;
      };
      const index = async () => {
        while (isPushing) await indexRows(feedId, source, 3_000);
      };
      const read = async () => {
        while (isPushing) {
          const [filters] = fc.sample(filtersArbitrary, 1);
          const one = { workMax: WORK_AMPLE, rowsMax: 1_000, skipped: 0 };
          const found = await findBothWays(feedId, source, { ...one, filters: filters ?? [] });
          expect(found.fast).toBe(found.slow);
          compared += 1;
          if (found.fast !== "{}") matched += 1;
        }
      };
      await Promise.all([push(), index(), read(), read()]);
      expect(compared).toBeGreaterThan(50);
      expect(matched).toBeGreaterThan(10);
    });
  }

  test("holds no entry more than the rows have, after rows were replaced in place", async () => {
    const { sql } = scene.gateway;
    const feedId = await scene.createFeed({ type: "collection" });
    const rows = fc.sample(rowsArbitrary, 30);
    for (const each of rows) {
      await pushRows(feedId, each);
      await indexAll(feedId, "collection");
    }
    const [difference] = await sql`
      with entries as (
        select term, position
        from filter_terms
        join filter_indexes using (filter_index_id)
        where feed_id = ${feedId}
          -- Others are of names.
          and position > 0
      ),
      wanted as (
        select row_terms.term, position
        from collection_rows
        cross join lateral row_terms(payload) as row_terms (term)
        where feed_id = ${feedId}
      )
      select
        (select count(*)::int from entries) as entry_count,
        (select count(*)::int from (select * from entries except select * from wanted) as more)
          as too_many,
        (select count(*)::int from (select * from wanted except select * from entries) as less)
          as missing`;
    expect(difference).toMatchObject({ too_many: 0, missing: 0 });
    expect(difference?.entry_count).toBeGreaterThan(20);
  });

  test("a row of very many fields is indexed by all of them, and found by any", async () => {
    const feedId = await scene.createFeed({ type: "collection" });
    const many = Array.from({ length: 500 }, (_, index) => [`f${index}`, index]);
    await scene.push(feedId, [
      { id: 1, ...Object.fromEntries(many) },
      { id: 2, f7: 7 },
    ]);
    await indexAll(feedId, "collection");
    const key = await scene.gateway.createKey(scene.accountId, "read");
    const response = await scene.gateway.get(`/v1/feed/${feedId}?f7=eq.7`, key);
    const body = (await response.json()) as { data: { id: number }[] };
    expect(body.data.map(({ id }) => id)).toEqual([1, 2]);
    const entries = await scene.gateway.sql`
      select count(*)::int as count
      from filter_terms
      join filter_indexes using (filter_index_id)
      where feed_id = ${feedId} and position > 0`;
    // Of the first row its id and 500 fields; of the second id and f7.
    expect(entries[0]?.count).toBe(503);
  });

  test("is made in the background after a filtered read of many rows", async () => {
    const feed = await seedFeed(scene.gateway, scene.accountId, {
      type: "collection",
      rows: Array.from({ length: 2_500 }, (_, id) => ({ id, kind: id % 50 })),
    });
    const key = await scene.gateway.createKey(scene.accountId, "read");
    const read = async () =>
      (await (await scene.gateway.get(`/v1/feed/${feed.slug}?kind=eq.7`, key)).json()) as {
        data: unknown[];
      };
    const before = await read();
    const indexed = () => indexedPosition(feed.feedId);
    for (let tries = 0; (await indexed()) !== 2_500 && tries < 500; tries++) await Bun.sleep(10);
    expect(await indexed()).toBe(2_500);
    await scene.gateway.sql`
      update feeds set data_version = data_version + 1 where feed_id = ${feed.feedId}`;
    expect((await read()).data).toEqual(before.data);
  });

  test("a stream is indexed in the order of arrival, and positions of duplicates have no event", async () => {
    const { sql } = scene.gateway;
    const feedId = await scene.createFeed({ type: "stream" });
    const unindexed = async () =>
      Number((await sql`select count_unindexed_rows(${feedId}, 0) as count`)[0]?.count);
    const push = (...ids: number[]) =>
      scene.push(
        feedId,
        ids.map((id) => ({ id, a: id % 2 })),
      );
    await push(1, 2, 3);
    await push(3, 4);
    // Nothing is new in it.
    await push(1, 4);
    await indexRows(feedId, "stream", 799);
    expect(await unindexed()).toBe(1);
    await push(5);
    await push(6);
    expect(await unindexed()).toBe(3);
    await indexRows(feedId, "stream", 1);
    expect(await unindexed()).toBe(2);
    await indexAll(feedId, "stream");
    expect(await unindexed()).toBe(0);
    const entries = await sql`
      select position
      from filter_terms
      join filter_indexes using (filter_index_id)
      where feed_id = ${feedId}
        and term = filter_term('a', '1')
      order by position`;
    expect(entries.map(({ position }) => Number(position))).toEqual([1, 3, 6]);
  });

  test("by a plan that was made while a stream was small, a large one is looked up by its keys", async () => {
    const session = connect(
      { url: scene.gateway.databaseUrl },
      { connectionsMax: 1, statementTimeoutMs: 0 },
    );
    const feedId = await scene.createFeed({ type: "stream" });
    const rowOf = (id: number) => ({
      id,
      event_timestamp: new Date(Date.UTC(2026, 0, 1) + id * 1_000).toISOString(),
      city: `c${id % 100}`,
      kind: `k${(id % 500) % 7}`,
    });
    const read = async (city: number) => {
      const filters = arrayLiteral(["city", "kind"]);
      const values = arrayLiteral([`c${city}`, "k2"]);
      const parameters = [feedId, "infinity", 0n, "-infinity", 20n] as const;
      const [row] = await session.unsafe(
        inFunctionSet(
          `select count(*)::int as found from match_stream_rows(
            $1, $2::timestamptz, $3, $4::timestamptz, $5,
            $6::text[], $7::text[], array[null, null]::jsonb[], ${WORK_AMPLE})`,
        ),
        [...parameters.map(String), filters, values],
      );
      return row?.found as number;
    };
    await fill(feedId, "stream", { from: 0, count: 1_000, rowOf });
    for (let city = 0; city < 8; city += 1) await read(city);
    await fill(feedId, "stream", { from: 1_000, count: 10_000, rowOf });
    await session`begin`;
    const before = await rowsFetched(session, "stream_events%");
    expect(await read(16)).toBe(20);
    // Of 11,000 rows 110 have the city.
    expect((await rowsFetched(session, "stream_events%")) - before).toBeLessThan(1_000);
    await session`rollback`;
    await session.end();
  });

  for (const source of ["collection", "stream"] as const) {
    test(`${source}: of two common filters only rows that meet both are fetched, by an early plan too`, async () => {
      const session = connect(
        { url: scene.gateway.databaseUrl },
        { connectionsMax: 1, statementTimeoutMs: 0 },
      );
      const feedId = await scene.createFeed({ type: source });
      // Of 2,000 rows one has both, or all three.
      const rowOf = (id: number) => {
        const even = id % 2;
        const isBoth = id % 2_000 === 999;
        return { id, a: even, b: isBoth ? 0 : even, c: isBoth ? "0" : id % 3 };
      };
      const read = async (names: string[], values: string[]) => {
        const feed = await scene.feed(feedId);
        const bounds =
          source === "collection"
            ? `${feed.current_batch}, 0`
            : "'infinity', 9223372036854775807, '-infinity'";
        const found = await session.unsafe(
          inFunctionSet(
            `select payload->>'id' as id from match_${source}_rows(
              $1, ${bounds}, 21, $2::text[], $3::text[], $3::text[]::jsonb[], ${WORK_AMPLE})`,
          ),
          [feedId, arrayLiteral(names), arrayLiteral(values)],
        );
        return found.map(({ id }) => Number(id)).sort((a, b) => a - b);
      };
      const fetched = () =>
        rowsFetched(session, source === "stream" ? "stream_events" : "collection_rows");
      await fill(feedId, source, { from: 0, count: 500, rowOf });
      for (let times = 0; times < 8; times += 1) {
        expect(await read(["a", "b"], ["1", "0"])).toEqual([]);
        await read(["c", "a", "b"], ["0", "1", "0"]);
      }
      await fill(feedId, source, { from: 500, count: 9_500, rowOf });
      await session`begin`;
      const before = await fetched();
      const both = [999, 2_999, 4_999, 6_999, 8_999];
      expect(await read(["a", "b"], ["1", "0"])).toEqual(both);
      expect(await read(["c", "a", "b"], ["0", "1", "0"])).toEqual(both);
      // Each filter alone has thousands.
      expect((await fetched()) - before).toBeLessThan(100);
      await session`rollback`;
      await session.end();
    });
  }

  test("of a batch retired beyond its grace it is removed", async () => {
    const { sql } = scene.gateway;
    const feedId = await scene.createFeed({ type: "collection" });
    const rows = [{ id: 1, a: 1 }];
    await scene.push(feedId, { payload: rows, batch_id: "one", batch_complete: true });
    await indexAll(feedId, "collection");
    await scene.push(feedId, { payload: rows, batch_id: "two", batch_complete: true });
    const count = async () =>
      (await sql`select count(*)::int as count from filter_indexes where feed_id = ${feedId}`)[0]
        ?.count;
    const remove = async () => {
      const now = new Date().toISOString();
      const parameters = {
        job: "filter entries",
        moment: now,
        pause: "0 seconds",
        age: "15 minutes",
        amount: 1,
        work_max: null,
      };
      while ((await database.row("run_job", parameters))?.is_more) {}
    };
    await remove();
    expect(await count()).toBe(1);
    await sql`update batches set retired_at = retired_at - interval '16 minutes' where feed_id = ${feedId}`;
    await remove();
    expect(await count()).toBe(0);
  });

  test("what was pushed to and has grown large is indexed before anyone filters it", async () => {
    const feedId = await scene.createFeed({ type: "stream" });
    await scene.push(feedId, [{ id: 1 }, { id: 2 }, { id: 3 }]);
    await indexLargeBatches(4);
    expect(await indexedPosition(feedId)).toBeUndefined();
    // As if nobody had looked yet.
    await scene.gateway.sql`delete from maintenance_jobs where name = 'filter indexes'`;
    await indexLargeBatches(3);
    expect(await indexedPosition(feedId)).toBe(3);
  });

  test("what has grown large is found however much was pushed to others since", async () => {
    const { sql } = scene.gateway;
    // A pass that found nothing: the next looks on from here.
    await indexLargeBatches(3);
    const [large, other] = [
      await scene.createFeed({ type: "stream" }),
      await scene.createFeed({ type: "stream" }),
    ];
    await scene.push(large, [{ id: 1 }, { id: 2 }, { id: 3 }]);
    await sql`
      insert into pushes (
        feed_id, stored, rows_received, rows_inserted, rows_updated, rows_duplicate, body_bytes, duration_ms
      )
      select ${other}, false, 0, 0, 0, 0, 0, 0 from generate_series(1, 1500)`;
    await indexLargeBatches(3);
    expect(await indexedPosition(large)).toBe(3);
  });

  test("what another process indexes is left to it", async () => {
    const { sql } = scene.gateway;
    const feedId = await scene.createFeed({ type: "collection" });
    await scene.push(feedId, [{ id: 1 }]);
    await indexAll(feedId, "collection");
    await scene.push(feedId, [{ id: 2 }]);
    const holder = await sql.reserve();
    await holder`begin`;
    await holder`select from filter_indexes where feed_id = ${feedId} for update`;
    expect(await indexRows(feedId, "collection", WORK_AMPLE)).toBe(false);
    expect(await indexedPosition(feedId)).toBe(1);
    await holder`rollback`;
    holder.release();
    await indexAll(feedId, "collection");
    expect(await indexedPosition(feedId)).toBe(2);
  });
});
