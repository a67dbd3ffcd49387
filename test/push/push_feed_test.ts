import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { histories } from "../support/histories.ts";
import { type PushScene, startPushScene } from "../support/push_scene.ts";

let scene: PushScene;
beforeAll(async () => {
  scene = await startPushScene();
});
afterAll(() => scene.gateway.stop());

const RATE_HEADERS = ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"];

describe("push to a singleton", () => {
  test("the first push of a singleton stores the document and activates the feed; each later one replaces it", async () => {
    const feedId = await scene.createFeed({ type: "singleton" });
    const first = await scene.push(feedId, `{ "payload": {"b" : 1.10, "a":\t9007199254740993} }`);
    expect(first.status).toBe(200);
    expect(first.body).toEqual({
      feed_id: feedId,
      feed_type: "singleton",
      status: "active",
      rows_received: 1,
      rows_inserted: 1,
      rows_updated: 0,
      rows_duplicate: 0,
      row_outcomes: ["inserted"],
      batch_id: null,
      batch_complete: false,
      is_visible: true,
      last_sync_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
      data_version: 1,
    });
    expect(await scene.document(feedId)).toBe('{"b":1.10,"a":9007199254740993}');
    expect(await scene.feed(feedId)).toMatchObject({
      status: "active",
      feed_type: "singleton",
      push_count: 1n,
      data_version: 1n,
      definition_version: 2n,
      last_sync_at: first.body.last_sync_at,
      first_pushed_at: first.body.last_sync_at,
    });
    const second = await scene.push(feedId, { payload: { a: 2 } });
    expect(second.body).toMatchObject({
      rows_inserted: 0,
      rows_updated: 1,
      row_outcomes: ["updated"],
      data_version: 2,
    });
    expect(await scene.document(feedId)).toBe('{"a":2}');
    expect(await scene.feed(feedId)).toMatchObject({
      push_count: 2n,
      definition_version: 2n,
      first_pushed_at: first.body.last_sync_at,
      last_sync_at: second.body.last_sync_at,
    });
  });
  test("the same document again counts as a push, and readers see no change", async () => {
    const feedId = await scene.createFeed({ type: "singleton" });
    await scene.push(feedId, '{"a":1}');
    const again = await scene.push(feedId, ' { "a" : 1 } ');
    expect(again.body).toMatchObject({ rows_inserted: 0, rows_updated: 1, data_version: 1 });
    const other = await scene.push(feedId, '{"a":1.0}');
    expect(other.body).toMatchObject({ rows_updated: 1, data_version: 2 });
    expect(await scene.feed(feedId)).toMatchObject({ push_count: 3n });
  });
  test("a singleton's body with a key beside the wrapper's is the document itself", async () => {
    const feedId = await scene.createFeed({ type: "singleton" });
    await scene.push(feedId, { payload: { a: 1 }, note: "b" });
    expect(await scene.document(feedId)).toBe('{"payload":{"a":1},"note":"b"}');
    await scene.push(feedId, { payload: { payload: 1 }, batch_id: null, batch_complete: false });
    expect(await scene.document(feedId)).toBe('{"payload":1}');
    await scene.push(feedId, { batch_id: "x" });
    expect(await scene.document(feedId)).toBe('{"batch_id":"x"}');
  });
});

describe("push to a collection", () => {
  test("a collection's rows are inserted in order, and a row whose id is there replaces it in place", async () => {
    const feedId = await scene.createFeed({ type: "collection" });
    const first = await scene.push(feedId, '{"payload":[{"id":1,"v":1},{"id":"b"},{"id":"c"}]}');
    expect(first.body).toMatchObject({
      feed_type: "collection",
      status: "active",
      rows_received: 3,
      rows_inserted: 3,
      data_version: 1,
    });
    // 1, "1", 1.0 and 1e0 are one id.
    const second = await scene.push(feedId, '[{"id":1e0,"v":2},{"id":"d"},{"id":"c"}]');
    expect(second.body).toMatchObject({
      rows_received: 3,
      rows_inserted: 1,
      rows_updated: 2,
      rows_duplicate: 0,
      data_version: 2,
    });
    expect(await scene.shown(feedId)).toEqual([
      '{"id":1e0,"v":2}',
      '{"id":"b"}',
      '{"id":"c"}',
      '{"id":"d"}',
    ]);
  });
  test("one object is one row of a collection, in the wrapper and bare", async () => {
    const feedId = await scene.createFeed({ type: "collection" });
    expect((await scene.push(feedId, { payload: { id: "a" } })).body.rows_inserted).toBe(1);
    expect((await scene.push(feedId, { id: "b", value: 1 })).body.rows_inserted).toBe(1);
    expect(await scene.shown(feedId)).toEqual(['{"id":"a"}', '{"id":"b","value":1}']);
  });
  test("rows that a collection has already are not written again and move no version", async () => {
    const feedId = await scene.createFeed({ type: "collection" });
    await scene.push(feedId, [{ id: "a" }, { id: "b" }]);
    const where = () => scene.gateway.sql`
      select ctid::text, position from collection_rows where feed_id = ${feedId} order by position`;
    const before = (await where()).map((row) => ({ ...row }));
    const again = await scene.push(feedId, [{ id: "a" }, { id: "b" }]);
    expect(again.body).toMatchObject({ rows_duplicate: 0, rows_updated: 2, data_version: 1 });
    expect((await where()).map((row) => ({ ...row }))).toEqual(before);
  });
  test("a push of no rows counts, and activates the feed", async () => {
    const feedId = await scene.createFeed({ type: "collection" });
    const answer = await scene.push(feedId, { payload: [] });
    expect(answer.body).toMatchObject({ status: "active", rows_received: 0, data_version: 0 });
    expect(await scene.feed(feedId)).toMatchObject({ push_count: 1n, next_position: 1n });
  });
});

describe("push to a stream", () => {
  test("a stream's events are appended, and one whose id is there is skipped", async () => {
    const feedId = await scene.createFeed({ type: "stream" });
    const time = "2024-01-01T00:00:00+02:00";
    const first = await scene.push(feedId, [
      { id: 1, event_timestamp: time },
      { id: 2, event_timestamp: time },
    ]);
    expect(first.body).toMatchObject({ rows_inserted: 2, data_version: 1, feed_type: "stream" });
    const second = await scene.push(feedId, [
      { id: "2", event_timestamp: time, v: 2 },
      { id: 3, event_timestamp: time },
    ]);
    expect(second.body).toMatchObject({ rows_inserted: 1, rows_duplicate: 1, data_version: 2 });
    const third = await scene.push(feedId, { id: 3, event_timestamp: time, v: 3 });
    expect(third.body).toMatchObject({ rows_inserted: 0, rows_duplicate: 1, data_version: 2 });
    expect(await scene.events(feedId)).toEqual(
      [1, 2, 3].map((id) => `{"id":${id},"event_timestamp":"${time}"}`),
    );
    const [row] = await scene.gateway.sql`
      select event_at from stream_events where feed_id = ${feedId} and row_id = '1'`;
    expect(row?.event_at).toBe("2023-12-31T22:00:00Z");
  });
  test("events without a time get the time of receipt as last key, one for the whole push", async () => {
    const feedId = await scene.createFeed({ type: "stream" });
    const answer = await scene.push(
      feedId,
      '[{"id":"ü","v":[{}]},{"id":2,"nested":{"event_timestamp":1}}]',
    );
    const events = await scene.events(feedId);
    const stamp = /,"event_timestamp":"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z)"\}$/;
    expect(events.map((text) => text.replace(stamp, "}"))).toEqual([
      '{"id":"ü","v":[{}]}',
      '{"id":2,"nested":{"event_timestamp":1}}',
    ]);
    const times = events.map((text) => stamp.exec(text)?.[1]);
    expect(new Set(times).size).toBe(1);
    expect(Date.parse(times[0] as string)).toBe(Date.parse(answer.body.last_sync_at));
    expect(Math.abs(Date.now() - Date.parse(times[0] as string))).toBeLessThan(60_000);
    // What is stamped is there already when it comes again: the id decides.
    const again = await scene.push(feedId, '{"id":"ü","v":[{}]}');
    expect(again.body).toMatchObject({ rows_duplicate: 1, rows_inserted: 0 });
  });
});

test("any sequence of pushes to a stream: the first of an id stays, and the receipts say so", async () => {
  const ids = fc.uniqueArray(fc.constantFrom("a", "b", "c", "d", "e", "f", "g", "h"), {
    maxLength: 6,
  });
  await fc.assert(
    fc.asyncProperty(fc.array(ids, { minLength: 1, maxLength: 6 }), async (pushes) => {
      const feedId = await scene.createFeed({ type: "stream" });
      const known = new Map<string, number>();
      for (const [push, each] of pushes.entries()) {
        const outcomes = each.map((id) => (known.has(id) ? "duplicate" : "inserted"));
        for (const id of each) known.set(id, known.get(id) ?? push);
        const rows = each.map((id) => ({ id, event_timestamp: "2024-01-01T00:00:00Z", push }));
        const answer = await scene.push(feedId, rows);
        expect(answer.body.row_outcomes).toEqual(outcomes);
        expect(answer.body).toMatchObject({
          rows_received: each.length,
          rows_inserted: outcomes.filter((outcome) => outcome === "inserted").length,
          rows_updated: 0,
          rows_duplicate: outcomes.filter((outcome) => outcome === "duplicate").length,
        });
      }
      const events = (await scene.events(feedId)).map((text) => JSON.parse(text));
      expect(events.map(({ id, push }) => [id, push])).toEqual([...known]);
    }),
    { numRuns: histories(12) },
  );
});

describe("newline-delimited JSON", () => {
  const headers = { "Content-Type": "application/x-ndjson" };
  test("lines of JSON are rows of a collection or stream, and make a feed without type a collection", async () => {
    const body = '{"id":1}\r\n{"id":2}\n\n';
    for (const type of ["collection", "stream", undefined] as const) {
      const feedId = await scene.createFeed({ ...(type && { type }) });
      const answer = await scene.push(feedId, body, { headers });
      expect(answer.body).toMatchObject({ rows_inserted: 2, feed_type: type ?? "collection" });
    }
  });
  test("paths of mistakes in lines name the line, and a line that is not JSON is 400", async () => {
    const feedId = await scene.createFeed({ type: "stream" });
    const invalid = await scene.push(feedId, '{"id":1}\n5\n{"id":null}\n{"id":1,"a":1,"a":2}', {
      headers,
    });
    expect(invalid.status).toBe(422);
    expect(invalid.body.errors).toEqual([{ path: "/3/a", message: expect.any(String) }]);
    const shape = await scene.push(feedId, '{"id":1}\n5\n{"id":null}', { headers });
    expect(shape.body.errors.map(({ path }: { path: string }) => path)).toEqual(["/1", "/2/id"]);
    const broken = await scene.push(feedId, '{"id":1}\n{"id":', { headers });
    expect(broken.body).toMatchObject({
      code: "BODY_NOT_JSON",
      detail: expect.stringContaining("line 2"),
    });
    const blank = await scene.push(feedId, "\n \n", { headers });
    expect(blank.body.code).toBe("BODY_NOT_JSON");
    expect(await scene.events(feedId)).toEqual([]);
  });
  test("lines of JSON pushed to a singleton are 415", async () => {
    const feedId = await scene.createFeed({ type: "singleton" });
    expect((await scene.push(feedId, "{}", { headers })).status).toBe(415);
  });
});

describe("the feed's type and status", () => {
  test("the first push decides the type: an array makes a collection, an object a singleton", async () => {
    const cases: [unknown, string][] = [
      [[{ id: 1 }], "collection"],
      [{ payload: [{ id: 1 }], batch_id: "a" }, "collection"],
      [[], "collection"],
      [{ id: 1 }, "singleton"],
      [{ payload: {} }, "singleton"],
      [{}, "singleton"],
    ];
    for (const [body, type] of cases) {
      const feedId = await scene.createFeed();
      expect((await scene.push(feedId, body)).body).toMatchObject({ feed_type: type });
      expect(await scene.feed(feedId)).toMatchObject({ feed_type: type, status: "active" });
    }
  });
  test("a first push that is refused decides no type and activates nothing", async () => {
    const feedId = await scene.createFeed();
    expect((await scene.push(feedId, [{}])).status).toBe(422);
    expect(await scene.feed(feedId)).toMatchObject({
      feed_type: null,
      status: "draft",
      first_pushed_at: null,
      last_sync_at: null,
      push_count: 0n,
    });
  });
  test("an owner's inactive feed stays inactive under later pushes", async () => {
    const feedId = await scene.createFeed({ type: "collection", status: "inactive" });
    expect((await scene.push(feedId, [{ id: 1 }])).body.status).toBe("active");
    await scene.gateway.sql`
      update feeds set status = 'inactive', definition_version = definition_version + 1
      where feed_id = ${feedId}`;
    expect((await scene.push(feedId, [{ id: 2 }])).body.status).toBe("inactive");
    expect(await scene.feed(feedId)).toMatchObject({ status: "inactive", definition_version: 3n });
  });
  test("a type cleared after an empty push is decided anew, and the status is left", async () => {
    const feedId = await scene.createFeed();
    await scene.push(feedId, []);
    await scene.gateway.sql`
      update feeds
      set feed_type = null, status = 'inactive', definition_version = definition_version + 1
      where feed_id = ${feedId}`;
    expect((await scene.push(feedId, { a: 1 })).body).toMatchObject({
      feed_type: "singleton",
      status: "inactive",
    });
  });
});

describe("dry run", () => {
  test("a dry run answers as the push would and stores nothing, for each type", async () => {
    const bodies = {
      singleton: { a: 1 },
      collection: { payload: [{ id: 1 }, { id: 2 }], batch_id: "b", batch_complete: true },
      stream: [{ id: 1 }, { id: 2 }],
    };
    for (const type of ["singleton", "collection", "stream"] as const) {
      const feedId = await scene.createFeed({ type });
      const before = await scene.feed(feedId);
      const dry = await scene.push(feedId, bodies[type], { query: "?dry_run=true" });
      expect(dry.status).toBe(200);
      for (const header of RATE_HEADERS) expect(dry.headers.get(header)).toBeTruthy();
      expect(await scene.feed(feedId)).toEqual(before);
      expect(await scene.history(feedId)).toEqual([]);
      const tables = await scene.gateway.sql`
        select
          (select count(*) from documents where feed_id = ${feedId})
          + (select count(*) from batches where feed_id = ${feedId})
          + (select count(*) from collection_rows where feed_id = ${feedId})
          + (select count(*) from stream_events where feed_id = ${feedId}) as total`;
      expect(tables[0]?.total).toBe(0n);
      const real = await scene.push(feedId, bodies[type], { query: "?dry_run=false" });
      const { dry_run, last_sync_at, ...answer } = dry.body;
      expect(dry_run).toBe(true);
      expect(real.body).toEqual({ ...answer, last_sync_at: expect.any(String) });
    }
  });
  test("a dry run is refused as the push would be, and leaves no history", async () => {
    const feedId = await scene.createFeed({ type: "collection" });
    const query = "?dry_run=true";
    expect((await scene.push(feedId, [{}], { query })).status).toBe(422);
    await scene.push(feedId, { payload: [], batch_id: "b", batch_complete: true });
    const closed = await scene.push(feedId, { payload: [{ id: 1 }], batch_id: "b" }, { query });
    expect(closed.body.code).toBe("BATCH_CLOSED");
    expect((await scene.history(feedId)).length).toBe(1);
  });
});

test("a dry run's receipt says what would happen to each row", async () => {
  const query = "?dry_run=true";
  const rows = [{ id: 1 }, { id: 2, v: 1 }, { id: 3 }];
  for (const [type, second] of [
    ["collection", "updated"],
    ["stream", "duplicate"],
  ] as const) {
    const feedId = await scene.createFeed({ type });
    await scene.push(feedId, [{ id: 1 }, { id: 2 }]);
    const { body } = await scene.push(feedId, rows, { query });
    expect(body.row_outcomes).toEqual([second, second, "inserted"]);
    expect((await scene.push(feedId, rows)).body.row_outcomes).toEqual(body.row_outcomes);
  }
  const feedId = await scene.createFeed({ type: "singleton" });
  expect((await scene.push(feedId, { a: 1 }, { query })).body.row_outcomes).toEqual(["inserted"]);
  await scene.push(feedId, { a: 1 });
  expect((await scene.push(feedId, { a: 2 }, { query })).body.row_outcomes).toEqual(["updated"]);
});

describe("history", () => {
  test("every push of the owner leaves a row in the feed's history", async () => {
    const feedId = await scene.createFeed({ type: "collection" });
    await scene.push(feedId, [{ id: 1 }, { id: 2 }]);
    await scene.push(feedId, [{ id: 1 }, { id: 2, v: 1 }, { id: 3 }]);
    await scene.push(feedId, "[");
    await scene.push(feedId, [{ id: 1 }, {}]);
    await scene.push(feedId, "[]", { headers: { "Content-Type": "text/plain" } });
    const rows = await scene.history(feedId);
    const counts = { rows_inserted: 0, rows_updated: 0, rows_duplicate: 0 };
    expect(rows).toMatchObject([
      { ...counts, stored: true, code: null, rows_received: 2, rows_inserted: 2, body_bytes: 19n },
      {
        stored: true,
        rows_received: 3,
        rows_inserted: 1,
        rows_updated: 2,
        rows_duplicate: 0,
      },
      { ...counts, stored: false, code: "BODY_NOT_JSON", body_bytes: 1n },
      { ...counts, stored: false, code: "VALIDATION_FAILED", detail: expect.any(String) },
      { ...counts, stored: false, code: "UNSUPPORTED_MEDIA_TYPE", body_bytes: 0n },
    ]);
    for (const row of rows) expect(row.duration_ms).toBeGreaterThanOrEqual(0);
  });
  test("a refusal is answered even if it can't be written into the history", async () => {
    const feedId = await scene.createFeed({ type: "collection" });
    const { sql } = scene.gateway;
    await sql`alter table pushes add constraint broken check (code <> 'BODY_NOT_JSON') not valid`;
    expect((await scene.push(feedId, "[")).body.code).toBe("BODY_NOT_JSON");
    await sql`alter table pushes drop constraint broken`;
  });
});

test("the push route answers at /api/v1, too, and takes a feed id in upper or lower case", async () => {
  const feedId = await scene.createFeed({ type: "singleton" });
  const path = `/api/v1/provider/feed/${feedId.toUpperCase()}/push`;
  const response = await scene.gateway.send("POST", path, scene.key, { a: 1 });
  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({ feed_id: feedId });
});

test("a gzip body is read", async () => {
  const feedId = await scene.createFeed({ type: "singleton" });
  const headers = { "Content-Encoding": "gzip" };
  const answer = await scene.push(feedId, Bun.gzipSync('{"a":1}'), { headers });
  expect(answer.status).toBe(200);
  expect(await scene.document(feedId)).toBe('{"a":1}');
});
