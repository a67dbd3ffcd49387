import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { connect } from "../../../src/postgres/client/connect.ts";
import { STATEMENTS } from "../../../src/postgres/generated/statements.ts";
import { inFunctionSet } from "../../../src/postgres/migrate/function_set.ts";
import { askAgain } from "../../support/ask_again.ts";
import { problemOf } from "../../support/gateway.ts";
import { histories } from "../../support/histories.ts";
import { type PushScene, startPushScene } from "../../support/push_scene.ts";

let scene: PushScene;
let key: string;
beforeAll(async () => {
  scene = await startPushScene({ FEEDGATE_READ_LIMIT_FREE: "1000000" });
  key = await scene.gateway.createKey(scene.accountId, "read");
});
afterAll(() => scene.gateway.stop());

interface Page {
  data: { id: number; [field: string]: unknown }[];
  has_more: boolean;
  next_cursor: string | null;
}

async function readPage(feedId: string, query: string): Promise<Page> {
  const response = await scene.gateway.get(`/v1/feed/${feedId}?${query}`, key);
  expect(response.status).toBe(200);
  return (await response.json()) as Page;
}

/** A walk to its end; between two pages `meanwhile` is run. */
async function walk(
  feedId: string,
  options: { limits: readonly number[]; query?: string; meanwhile?: (page: number) => unknown },
): Promise<number[]> {
  const { limits, query = "", meanwhile } = options;
  const ids: number[] = [];
  let cursor: string | null = null;
  for (let count = 0; count === 0 || cursor !== null; count++) {
    const limit = limits[count % limits.length];
    const at: string = cursor === null ? "" : `&cursor=${cursor}`;
    const page: Page = await readPage(feedId, `limit=${limit}${query}${at}`);
    ids.push(...page.data.map(({ id }) => id));
    expect(page.has_more).toBe(page.next_cursor !== null);
    cursor = page.next_cursor;
    await meanwhile?.(count);
  }
  return ids;
}

const limitsArbitrary = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 3 });
const pushesArbitrary = fc.array(
  fc.record({
    ids: fc.uniqueArray(fc.nat({ max: 60 }), { maxLength: 8 }),
    isSwap: fc.boolean(),
  }),
  { maxLength: 4 },
);

async function push(feedId: string, body: unknown): Promise<void> {
  expect((await scene.push(feedId, body)).status).toBe(200);
}

describe("walks along next_cursor", () => {
  test("collection: each row of the batch once, in order, across upserts and swaps", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 30 }),
        limitsArbitrary,
        pushesArbitrary,
        fc.boolean(),
        async (count, limits, pushes, isFiltered) => {
          const feedId = await scene.createFeed({ type: "collection" });
          const row = (id: number) => ({ id, kind: "a" });
          const first = Array.from({ length: count }, (_, id) => row(id));
          await push(feedId, { payload: first, batch_id: "0", batch_complete: true });
          let isSwapped = false;
          const added: number[] = [];
          const ids = await walk(feedId, {
            limits,
            query: isFiltered ? "&kind=eq.a" : "",
            async meanwhile(page) {
              const next = pushes[page];
              if (next === undefined) return;
              const payload = next.ids.map(row);
              if (next.isSwap) {
                isSwapped = true;
                await push(feedId, { payload, batch_complete: true });
              } else {
                await push(feedId, payload);
                // Into the batch that is walked only while it is the current one.
                if (!isSwapped) added.push(...next.ids);
              }
            },
          });
          const expected = new Set([...first.map(({ id }) => id), ...added]);
          // Rows appended after the walk's end have not been seen; all others, once, in order.
          expect(ids).toEqual([...expected].slice(0, ids.length));
          expect(ids.length).toBeGreaterThanOrEqual(count);
        },
      ),
      { numRuns: histories(12) },
    );
  });

  test("stream: each row that was there once, newest first, whatever arrives meanwhile", async () => {
    const time = (second: number) => `2026-01-01T00:00:0${second}Z`;
    const events = fc.array(fc.nat({ max: 2 }), { minLength: 1, maxLength: 25 });
    await fc.assert(
      fc.asyncProperty(
        events,
        limitsArbitrary,
        fc.array(fc.array(fc.nat({ max: 3 }), { maxLength: 5 }), { maxLength: 4 }),
        fc.boolean(),
        async (seconds, limits, late, isFiltered) => {
          const feedId = await scene.createFeed({ type: "stream" });
          let id = 0;
          const made = (second: number) => ({
            id: id++,
            event_timestamp: time(second),
            kind: "a",
          });
          const first = seconds.map(made);
          await push(feedId, first);
          const ids = await walk(feedId, {
            limits,
            query: isFiltered ? "&kind=eq.a" : "",
            meanwhile: (page) => push(feedId, (late[page] ?? []).map(made)),
          });
          expect(new Set(ids).size).toBe(ids.length);
          const expected = [...first].sort(
            (a, b) => b.event_timestamp.localeCompare(a.event_timestamp) || b.id - a.id,
          );
          expect(ids.filter((each) => each < first.length)).toEqual(expected.map((row) => row.id));
        },
      ),
      { numRuns: histories(12) },
    );
  });

  // A readable cursor would reveal the time and the rank of a paid stream's rows to everyone who sees the `Link`.
  test("cursors reveal nothing: neither what they hold nor, by their length, how much", async () => {
    const feedId = await scene.createFeed({ type: "stream" });
    const event_timestamp = "2026-01-02T03:04:05Z";
    await push(
      feedId,
      [1, 2, 3].map((id) => ({ id, event_timestamp })),
    );
    const late = await readPage(feedId, "limit=1");
    await push(feedId, [{ id: 4, event_timestamp: "2026-06-07T08:09:10.123456Z" }]);
    const later = await readPage(feedId, "limit=1");
    const cursors = [late, later].map(({ next_cursor: cursor }) => cursor as string);
    const held = cursors.map((cursor) => Buffer.from(cursor, "base64url").toString("latin1"));
    for (const bytes of held) expect(bytes).not.toMatch(/20\d\d|\d\d:\d\d/);
    expect(new Set(cursors.map(({ length }) => length)).size).toBe(1);
    expect(new Set(cursors).size).toBe(2);
  });

  test("a batch that was swapped out is readable by cursor for 15 minutes, then 410", async () => {
    const feedId = await scene.createFeed({ type: "collection" });
    const rows = (base: number) => Array.from({ length: 5 }, (_, index) => ({ id: base + index }));
    await push(feedId, { payload: rows(0), batch_id: "a", batch_complete: true });
    const { next_cursor: cursor } = await readPage(feedId, "limit=2");
    await push(feedId, { payload: rows(10), batch_id: "b", batch_complete: true });
    expect((await readPage(feedId, `limit=9&cursor=${cursor}`)).data).toEqual(rows(0).slice(2));
    expect((await readPage(feedId, "limit=9")).data).toEqual(rows(10));
    const age = (interval: string) => scene.gateway.sql`
      update batches
      set retired_at = retired_at - ${interval}::interval
      where feed_id = ${feedId} and batch_id = 'a'`;
    await age("14 minutes");
    expect((await readPage(feedId, `limit=9&cursor=${cursor}`)).data).toEqual(rows(0).slice(2));
    await age("1 minute");
    const { data: current } = await readPage(feedId, "limit=1");
    expect(current).toEqual(rows(10).slice(0, 1));
    const expired = await scene.gateway.get(`/v1/feed/${feedId}?limit=9&cursor=${cursor}`, key);
    expect(await problemOf(expired)).toMatchObject({ status: 410, code: "CURSOR_EXPIRED" });
  });

  test("offsets as deep as the feed, and beyond it, also filtered", async () => {
    const feedId = await scene.createFeed({ type: "collection" });
    for (let base = 0; base < 1_500; base += 500) {
      const ids = Array.from({ length: 500 }, (_, index) => base + index);
      await push(
        feedId,
        ids.map((id) => ({ id, kind: id % 2 })),
      );
    }
    const deep = await readPage(feedId, "limit=3&offset=1498");
    expect(deep.data.map(({ id }) => id)).toEqual([1498, 1499]);
    expect(deep).toMatchObject({ has_more: false, next_cursor: null, offset: 1498 });
    expect((await readPage(feedId, "offset=999999999999999")).data).toEqual([]);
    const odd = await readPage(feedId, "kind=eq.1&limit=2&offset=740");
    expect(odd.data.map(({ id }) => id)).toEqual([1481, 1483]);
    expect((await readPage(feedId, "kind=eq.1&offset=999999999999999")).data).toEqual([]);
  });
});

describe("freshness", () => {
  test("no reader sees a page older than a push answered before its read was sent, over two processes", async () => {
    const feedId = await scene.createFeed({ type: "collection" });
    await push(feedId, [{ id: 1, serial: 0 }]);
    const peer = await scene.gateway.startPeer();
    const bases = [scene.gateway.baseUrl, peer.baseUrl];
    let answered = 0;
    let reads = 0;
    let isPushing = true;
    const pushing = async () => {
      // On a busy machine readers may come to it late.
      for (let serial = 1; serial <= 60 || reads <= 100; serial++) {
        const base = bases[serial % 2];
        const response = await askAgain(() =>
          fetch(`${base}/v1/provider/feed/${feedId}/push`, {
            method: "POST",
            headers: { Authorization: `Bearer ${scene.key}`, "Content-Type": "application/json" },
            body: JSON.stringify([{ id: 1, serial }]),
          }),
        );
        expect(response.status).toBe(200);
        answered = serial;
      }
      isPushing = false;
    };
    const queries = ["", "?limit=5", "?ids=1", "?jsonpath=$", "?payload.id=eq.1"];
    const reading = async (base: string, query: string) => {
      while (isPushing) {
        const least = answered;
        const url = `${base}/v1/feed/${feedId}${query}`;
        const response = await askAgain(() => fetch(url, { headers: { "x-api-key": key } }));
        const body = JSON.stringify(await response.json());
        const seen = Number(/"serial":(\d+)/.exec(body)?.[1]);
        expect(seen).toBeGreaterThanOrEqual(least);
        reads += 1;
      }
    };
    await Promise.all([
      pushing(),
      ...bases.flatMap((base) => queries.map((query) => reading(base, query))),
    ]);
    expect(reads).toBeGreaterThan(100);
  });
});

test("a page far down in a large stream reads as few blocks as the first one", async () => {
  const feedId = await scene.createFeed({ type: "stream" });
  await scene.push(feedId, [{ id: "first", event_timestamp: "2026-06-01T00:00:00Z" }]);
  // Statistics that arrive in between make PostgreSQL plan the next page anew, and that reads
  // blocks of its catalog, which count as well.
  await scene.gateway.sql`alter table stream_events set (autovacuum_enabled = false)`;
  await scene.gateway.sql`
    insert into stream_events (feed_id, position, row_id, event_at, payload)
    select
      ${feedId}, n, n::text, timestamptz '2026-01-01T00:00:00Z' + n * interval '1 second',
      json_build_object('id', n)
    from generate_series(2, 60000) as n`;
  const session = connect(
    { url: scene.gateway.databaseUrl },
    { connectionsMax: 1, statementTimeoutMs: 0 },
  );
  await session.unsafe(
    inFunctionSet(`prepare page as ${STATEMENTS.read_stream_page.replace(/;\s*$/, "")}`),
  );
  const blocksOf = async ({ before, end }: { before: string; end: string }) => {
    const [plan] = await session.unsafe(
      `explain (analyze, buffers, format json)
      execute page('${feedId}', ${before}, null, ${end}, 0, 20, '{}', '{}', '{}', 2000000, 2000000)`,
    );
    const [{ Plan: read }] = JSON.parse(plan?.["QUERY PLAN"]);
    return read["Shared Hit Blocks"] as number;
  };
  const far = "'2026-01-01T00:10:00Z'";
  // The first call reads what a plan needs.
  await blocksOf({ before: "null, null", end: "null" });
  for (const bounds of [
    { before: "null, null", end: "null" },
    { before: `${far}, 600`, end: "null" },
    { before: `${far}, 600`, end: "'2026-01-01T10:00:00Z'" },
    { before: `'2026-01-01T10:00:00Z', 36000`, end: far },
  ]) {
    expect({ ...bounds, isFew: (await blocksOf(bounds)) < 60 }).toMatchObject({ isFew: true });
  }
  await session.end();
});
