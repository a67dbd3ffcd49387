import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { present } from "../../../src/lib/assert.ts";
import { IMPORT_ROWS_MAX } from "../../../src/limits.ts";
import { readCsv } from "../../../src/push/rows/read_csv.ts";
import { waitFor } from "../../support/processes.ts";
import { type PushScene, startPushScene } from "../../support/push_scene.ts";
import { runJob } from "../../support/run_job.ts";

let scene: PushScene;
beforeAll(async () => {
  scene = await startPushScene();
});
afterAll(() => scene.gateway.stop());

const NDJSON = "application/x-ndjson";
const CSV = "text/csv";

// biome-ignore lint/suspicious/noExplicitAny: answers are compared as a client would see them
type Json = any;

interface Imported {
  readonly status: number;
  readonly headers: Headers;
  /** Of an ordinary answer. */
  readonly problem: Json;
  readonly lines: readonly Json[];
  /** Of the last line: the receipt, or the problem. */
  readonly last: Json;
}

async function importFile(
  feedId: string,
  body: string | Uint8Array | ReadableStream,
  { type = NDJSON, headers = {} }: { type?: string; headers?: Record<string, string> } = {},
): Promise<Imported> {
  const response = await fetch(`${scene.gateway.baseUrl}/v1/provider/feed/${feedId}/import`, {
    method: "POST",
    headers: { authorization: `Bearer ${scene.key}`, "content-type": type, ...headers },
    body,
  });
  const text = await response.text();
  const { status } = response;
  if (status !== 200) {
    return {
      status,
      headers: response.headers,
      problem: JSON.parse(text),
      lines: [],
      last: undefined,
    };
  }
  const lines = text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  return { status, headers: response.headers, problem: undefined, lines, last: lines.at(-1) };
}

const rowsOf = (count: number, more: (at: number) => object = () => ({})) =>
  Array.from({ length: count }, (_, at) => ({ id: at, ...more(at) }));
const ndjson = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).join("\n");

describe("import into a collection", () => {
  test("the file becomes the whole collection at once, counts as one push, and has a receipt", async () => {
    const feedId = await scene.createFeed();
    await scene.push(feedId, [{ id: "old" }]);
    const file = `${ndjson(rowsOf(12_000, (at) => ({ n: at / 10 })))}\r\n\r\n`;
    const imported = await importFile(feedId, file);
    expect(imported.headers.get("content-type")).toBe("application/x-ndjson");
    expect(imported.headers.get("x-ratelimit-limit")).toBe("100000");
    expect(imported.last).toEqual({
      receipt: {
        feed_id: feedId,
        feed_type: "collection",
        status: "active",
        rows_received: 12_000,
        rows_inserted: 12_000,
        rows_updated: 0,
        rows_duplicate: 0,
        batch_id: null,
        batch_complete: true,
        is_visible: true,
        last_sync_at: expect.stringMatching(/^\d{4}-/),
        data_version: 2,
      },
    });
    const shown = await scene.shown(feedId);
    expect(shown.length).toBe(12_000);
    expect(shown[0]).toBe('{"id":0,"n":0}');
    expect(shown.at(-1)).toBe('{"id":11999,"n":1199.9}');
    expect(await scene.feed(feedId)).toMatchObject({ push_count: 2n, data_version: 2n });
    expect((await scene.history(feedId)).at(-1)).toMatchObject({
      stored: true,
      rows_received: 12_000,
      rows_inserted: 12_000,
      body_bytes: BigInt(file.length),
    });
    expect((await scene.push(feedId, [{ id: "later" }])).body).toMatchObject({ is_visible: true });
    expect((await scene.shown(feedId)).at(-1)).toBe('{"id":"later"}');
  });

  test("a first import activates a feed without a type as a collection", async () => {
    const feedId = await scene.createFeed();
    const { last } = await importFile(feedId, '\ufeff{"id":1}\n{"id":"two"}');
    expect(last.receipt).toMatchObject({ feed_type: "collection", status: "active" });
    expect(await scene.shown(feedId)).toEqual(['{"id":1}', '{"id":"two"}']);
  });

  test("a bad file changes nothing, and its first 20 bad lines are told with their numbers", async () => {
    const feedId = await scene.createFeed({ type: "collection" });
    await scene.push(feedId, [{ id: "old" }]);
    const lines = ndjson(rowsOf(9_000)).split("\n");
    lines[6] = '{"id":6,';
    lines[4_998] = '["id"]';
    lines[4_999] = '{"name":"no id"}';
    lines[5_999] = '{"id":1}\n\n{"id":6001,"a":1,"a":2}';
    const { last, status } = await importFile(feedId, lines.join("\n"));
    expect(status).toBe(200);
    expect(last.problem).toMatchObject({
      status: 422,
      code: "VALIDATION_FAILED",
      error_count: 4,
      rows_received: 9_001,
      rows_inserted: 0,
    });
    expect(last.problem.errors.map(({ line }: Json) => line)).toEqual([7, 4_999, 5_000, 6_002]);
    expect(last.problem.errors[1].message).toBe("a row must be an object, got an array");
    expect(last.problem.errors[2].message).toStartWith("line 5000 has no id");
    expect(await scene.shown(feedId)).toEqual(['{"id":"old"}']);
    expect((await scene.history(feedId)).at(-1)).toMatchObject({
      stored: false,
      code: "VALIDATION_FAILED",
      rows_received: 9_001,
    });

    const all = await importFile(feedId, "no json\n".repeat(100_000));
    expect(all.last.problem.errors.length).toBe(20);
    expect(all.last.problem.errors[19].line).toBe(20);
    expect(all.last.problem).toMatchObject({ rows_received: 100_000, error_count: 100_000 });
  });

  test("an id that comes again is a bad line, near or far", async () => {
    const feedId = await scene.createFeed({ type: "collection" });
    const rows = [
      ...rowsOf(9_000),
      ...[{ id: 8_999 }, { id: "17" }, { id: 4_100 }, { id: "new" }, { id: "new" }],
    ];
    const { last } = await importFile(feedId, ndjson(rows));
    expect(last.problem.errors).toEqual([
      {
        line: 9_001,
        path: "/id",
        message: expect.stringContaining("an earlier line"),
        row_id: "8999",
      },
      {
        line: 9_002,
        path: "/id",
        message: expect.stringContaining("an earlier line"),
        row_id: "17",
      },
      {
        line: 9_003,
        path: "/id",
        message: expect.stringContaining("an earlier line"),
        row_id: "4100",
      },
      {
        line: 9_005,
        path: "/id",
        message: expect.stringContaining("an earlier line"),
        row_id: "new",
      },
    ]);
    expect((await scene.feed(feedId)).current_batch).toBeNull();
  });

  test("a batch that was completed meanwhile is the newer one, and the import is refused", async () => {
    const feedId = await scene.createFeed({ type: "collection" });
    await scene.push(feedId, [{ id: "old" }]);
    const { last } = await importFile(
      feedId,
      slowly(async (send) => {
        send(`${ndjson(rowsOf(100))}\n`);
        await untilBegun(feedId);
        await scene.push(feedId, { payload: [{ id: "newer" }], batch_complete: true });
        send(ndjson([{ id: "last" }]));
      }),
    );
    expect(last.problem).toMatchObject({ status: 409, code: "BATCH_CLOSED" });
    expect(await scene.shown(feedId)).toEqual(['{"id":"newer"}']);
  });

  test("so is a named batch that was begun and completed meanwhile, of a feed without data", async () => {
    const feedId = await scene.createFeed({ type: "collection" });
    const { last } = await importFile(
      feedId,
      slowly(async (send) => {
        send(`${ndjson(rowsOf(100))}\n`);
        await untilBegun(feedId);
        await scene.push(feedId, { payload: [{ id: "newer" }], batch_id: "b" });
        await scene.push(feedId, { payload: [], batch_id: "b", batch_complete: true });
        send(ndjson([{ id: "last" }]));
      }),
    );
    expect(last.problem).toMatchObject({ status: 409, code: "BATCH_CLOSED" });
    expect(await scene.shown(feedId)).toEqual(['{"id":"newer"}']);
  });

  test("what a failed import had staged is retired, and its rows are removed", async () => {
    const feedId = await scene.createFeed({ type: "collection" });
    await scene.push(feedId, [{ id: "old" }]);
    await importFile(feedId, `${ndjson(rowsOf(IMPORT_ROWS_MAX))}\nno json`);
    const { sql } = scene.gateway;
    const left = async () => {
      const rows = await sql`
        select count(*)::int as count from collection_rows where feed_id = ${feedId}`;
      return rows[0]?.count;
    };
    expect(await left()).toBe(IMPORT_ROWS_MAX + 1);
    await runJob(sql, "retired batches", new Date(Date.now() + 3_600_000).toISOString());
    expect(await left()).toBe(1);
    expect(await scene.shown(feedId)).toEqual(['{"id":"old"}']);
  });

  test("a named batch that was begun meanwhile stays open, of a feed without data, too", async () => {
    for (const isFirst of [true, false]) {
      const feedId = await scene.createFeed({ type: "collection" });
      if (!isFirst) await scene.push(feedId, [{ id: "old" }]);
      const { last } = await importFile(
        feedId,
        slowly(async (send) => {
          send(`${ndjson(rowsOf(100))}\n`);
          await untilBegun(feedId);
          await scene.push(feedId, { payload: [{ id: "x" }], batch_id: "b" });
          send(ndjson([{ id: "last" }]));
        }),
      );
      expect(last.receipt).toMatchObject({ rows_inserted: 101, is_visible: true });
      expect((await scene.shown(feedId)).length).toBe(101);
      const rest = { payload: [{ id: "y" }], batch_id: "b", batch_complete: true };
      expect(await scene.push(feedId, rest)).toMatchObject({ status: 200 });
      expect(await scene.shown(feedId)).toEqual(['{"id":"x"}', '{"id":"y"}']);
    }
  });

  test("a cursor of the first batch goes on in it after an import, while the batch is open", async () => {
    const feedId = await scene.createFeed({ type: "collection" });
    const reader = await scene.gateway.createKey(await scene.gateway.createAccount(), "read");
    const page = async (query: string) => {
      const response = await scene.gateway.get(`/v1/feed/${feedId}?limit=2${query}`, reader);
      return { status: response.status, body: (await response.json()) as Json };
    };
    let cursor = "";
    await importFile(
      feedId,
      slowly(async (send) => {
        send(`${ndjson(rowsOf(100))}\n`);
        await untilBegun(feedId);
        await scene.push(feedId, { payload: rowsOf(4), batch_id: "b" });
        cursor = (await page("")).body.next_cursor;
        send(ndjson([{ id: "last" }]));
      }),
    );
    const next = await page(`&cursor=${cursor}`);
    expect([next.status, next.body.data]).toEqual([200, [{ id: 2 }, { id: 3 }]]);
  });

  test("rows that are deleted meanwhile stay as the file says", async () => {
    const feedId = await scene.createFeed({ type: "collection" });
    await scene.push(feedId, [{ id: 1, is: "old" }]);
    const { last } = await importFile(
      feedId,
      slowly(async (send) => {
        send(`${ndjson(rowsOf(2 * IMPORT_ROWS_MAX))}\n`);
        await untilStaged(feedId);
        const path = `/v1/provider/feed/${feedId}/rows?ids=1`;
        const deleted = await scene.gateway.send("DELETE", path, scene.key, undefined);
        expect(await deleted.json()).toMatchObject({ deleted: ["1"] });
        send(ndjson([{ id: "last" }]));
      }),
    );
    expect(last.receipt).toMatchObject({ rows_inserted: 2 * IMPORT_ROWS_MAX + 1 });
    expect(await scene.shown(feedId)).toContain('{"id":1}');
  });

  test("a schema that is locked meanwhile ends the import, of a feed without a type, too", async () => {
    for (const type of ["collection", undefined] as const) {
      const feedId = await scene.createFeed(type && { type });
      const { last } = await importFile(
        feedId,
        slowly(async (send) => {
          send(`${ndjson(rowsOf(2 * IMPORT_ROWS_MAX, () => ({ v: "text" })))}\n`);
          await untilStaged(feedId);
          const path = `/v1/provider/feed/${feedId}/edit`;
          const schema = { properties: { v: { type: "integer" } } };
          const locked = { schema_locked: true, schema_definition: schema };
          expect((await scene.gateway.send("PATCH", path, scene.key, locked)).status).toBe(200);
          send(ndjson([{ id: "last", v: 1 }]));
        }),
      );
      expect(last.problem.detail).toContain("schema was changed while the import ran");
    }
  });

  test("what a failed import had staged is no data: the feed's type may still be changed", async () => {
    const feedId = await scene.createFeed();
    const { last } = await importFile(feedId, `${ndjson(rowsOf(1_500))}\nno json`);
    expect(last.problem.code).toBe("VALIDATION_FAILED");
    const edit = (feed_type: string) =>
      scene.gateway.send("PATCH", `/v1/provider/feed/${feedId}/edit`, scene.key, { feed_type });
    expect((await edit("stream")).status).toBe(200);
    const events = await importFile(
      feedId,
      '{"id":1,"event_timestamp":"2026-01-01T00:00:00Z"}\nno json',
    );
    expect(events.last.problem.rows_inserted).toBe(1);
    expect((await edit("collection")).status).toBe(409);
  });

  test("a batch of which a crash of the database took a part is never shown", async () => {
    const feedId = await scene.createFeed({ type: "collection" });
    await scene.push(feedId, [{ id: "old" }]);
    const { sql } = scene.gateway;
    const { last } = await importFile(
      feedId,
      slowly(async (send) => {
        send(`${ndjson(rowsOf(3_000))}\n`);
        // The part, and what was counted with it, as recovery leaves them out.
        await waitFor(async () => {
          const lost = await sql`
            delete from row_totals
            where feed_id = ${feedId}
              and batch_number = (select batch_number from imports where feed_id = ${feedId})`;
          return lost.count > 0;
        }, 10_000);
        send(ndjson([{ id: "last" }]));
      }),
    );
    expect(last.problem).toMatchObject({ status: 503, code: "UNAVAILABLE" });
    expect(await scene.shown(feedId)).toEqual(['{"id":"old"}']);
  });
});

/** Waits until an import has the feed. */
/** Until the first part of a file is stored. */
async function untilStaged(feedId: string): Promise<void> {
  const { sql } = scene.gateway;
  const isStaged = async () => {
    const rows = await sql`
      select from imports join collection_rows using (feed_id, batch_number)
      where feed_id = ${feedId} limit 1`;
    return rows.length > 0;
  };
  expect(await waitFor(isStaged, 60_000)).toBe(true);
}

async function untilBegun(feedId: string): Promise<void> {
  const { sql } = scene.gateway;
  const isBegun = async () => (await sql`select from imports where feed_id = ${feedId}`).length > 0;
  expect(await waitFor(isBegun, 60_000)).toBe(true);
}

/** A body that is sent piece by piece. */
function slowly(
  work: (send: (piece: string | Uint8Array) => void) => Promise<void>,
): ReadableStream {
  return new ReadableStream({
    async start(controller) {
      await work((piece) =>
        controller.enqueue(typeof piece === "string" ? Buffer.from(piece) : piece),
      );
      controller.close();
    },
  });
}

interface CutImport {
  readonly framing: "length" | "chunked";
  readonly piece: string;
  /** Resolves when the import has come far enough. @default untilBegun */
  readonly until?: (feedId: string) => Promise<void>;
}

/** Sends the beginning of a file that promises more, and ends the connection without a word. */
async function sendAndCut(
  feedId: string,
  { framing, piece, until = untilBegun }: CutImport,
): Promise<void> {
  const { hostname, port } = new URL(scene.gateway.baseUrl);
  const head =
    framing === "length" ? `Content-Length: ${piece.length * 2}` : `Transfer-Encoding: chunked`;
  const body = framing === "length" ? piece : `${piece.length.toString(16)}\r\n${piece}\r\n`;
  const socket = await Bun.connect<undefined>({
    hostname,
    port: Number(port),
    socket: { data() {}, drain: (each) => pump(each) },
  });
  let rest = Buffer.from(
    `POST /v1/provider/feed/${feedId}/import HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${scene.key}\r\nContent-Type: ${NDJSON}\r\n${head}\r\n\r\n${body}`,
  );
  function pump(each: { write(bytes: Uint8Array): number }) {
    rest = rest.subarray(each.write(rest));
  }
  pump(socket);
  while (rest.length > 0) await Bun.sleep(10);
  await until(feedId);
  socket.terminate();
}

describe("import into a stream", () => {
  test("events are appended in order, known ids are skipped, and a file may be sent again", async () => {
    const feedId = await scene.createFeed({ type: "stream" });
    await scene.push(feedId, [{ id: 3, event_timestamp: "2026-01-01T00:00:00Z" }]);
    const file = ndjson([...rowsOf(6_000), { id: 5 }]);
    const { last } = await importFile(feedId, file);
    expect(last.receipt).toMatchObject({
      rows_received: 6_001,
      rows_inserted: 5_999,
      rows_duplicate: 2,
      batch_complete: false,
    });
    const events = await scene.events(feedId);
    expect(events.length).toBe(6_000);
    expect(events[1]).toMatch(/^\{"id":0,"event_timestamp":"20\d\d-.*Z"\}$/);
    const again = await importFile(feedId, file);
    expect(again.last.receipt).toMatchObject({ rows_inserted: 0, rows_duplicate: 6_001 });
    expect(again.last.receipt.data_version).toBe(last.receipt.data_version);
  });

  test("events before the first bad line are stored, and none behind it", async () => {
    const feedId = await scene.createFeed({ type: "stream" });
    const rows: object[] = rowsOf(10_000);
    rows[7_000] = { id: "bad", event_timestamp: "now" };
    rows[9_000] = { event_timestamp: "2026-01-01T00:00:00Z" };
    const { last } = await importFile(feedId, ndjson(rows));
    expect(last.problem).toMatchObject({
      code: "VALIDATION_FAILED",
      rows_inserted: 7_000,
      error_count: 2,
    });
    expect(last.problem.errors.map(({ line }: Json) => line)).toEqual([7_001, 9_001]);
    expect((await scene.events(feedId)).length).toBe(7_000);
  });

  test("the history of a refused import says how many events were stored, and how many were there before", async () => {
    const feedId = await scene.createFeed({ type: "stream" });
    await scene.push(feedId, rowsOf(10));
    const file = ndjson([...rowsOf(2_500), { id: "z", event_timestamp: "now" }]);
    const { last } = await importFile(feedId, file);
    const counts = { rows_received: 2_501, rows_inserted: 2_490, rows_duplicate: 10 };
    expect(last.problem).toMatchObject(counts);
    expect((await scene.history(feedId)).at(-1)).toMatchObject({ stored: false, ...counts });
  });

  test("the history of an import that lost the database says how many events were stored, once it is back", async () => {
    const feedId = await scene.createFeed({ type: "stream" });
    const { sql } = scene.gateway;
    const endSessions = () => sql`
      select pg_terminate_backend(pid)
      from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`;
    const [database] = await sql`select quote_ident(current_database()) as name`;
    const file = new ReadableStream<Uint8Array>({
      async start(controller) {
        const piece = (from: number) => {
          const rows = rowsOf(10_000, (at) => ({ id: from + at }));
          controller.enqueue(Buffer.from(`${ndjson(rows)}\n`));
        };
        piece(0);
        await waitFor(async () => (await scene.events(feedId)).length >= 5_000, 20_000);
        // As after a failover that left no primary: every session ends, and no new one may write.
        await sql.unsafe(`alter database ${database?.name} set default_transaction_read_only = on`);
        await endSessions();
        piece(10_000);
        controller.close();
      },
    });
    const { last } = await importFile(feedId, file);
    await sql.unsafe(`alter database ${database?.name} reset default_transaction_read_only`);
    await endSessions();
    const { length: stored } = await scene.events(feedId);
    expect(last.problem).toMatchObject({ code: "UNAVAILABLE", rows_inserted: stored });
    expect(await waitFor(async () => (await scene.history(feedId)).length > 0, 20_000)).toBe(true);
    expect(await scene.history(feedId)).toMatchObject([{ stored: false, rows_inserted: stored }]);
  });

  test("the history of an import whose connection is cut says how many events were stored", async () => {
    const feedId = await scene.createFeed({ type: "stream" });
    const piece = `${ndjson(rowsOf(20_000))}\n`;
    const until = async () => {
      const isStored = async () => (await scene.events(feedId)).length > 0;
      expect(await waitFor(isStored, 60_000)).toBe(true);
    };
    await sendAndCut(feedId, { framing: "length", piece, until });
    const isNoted = async () => (await scene.history(feedId)).length === 1;
    await waitFor(isNoted, 10_000);
    const { length: stored } = await scene.events(feedId);
    expect(stored).toBeGreaterThan(0);
    expect(await scene.history(feedId)).toMatchObject([{ stored: false, rows_inserted: stored }]);
  });

  /** As if the import's gateway had been killed: nothing was heard of it for so long. */
  const fallSilent = async (feedId: string, seconds: number) =>
    scene.gateway.sql`
      update imports
      set renewed_at = now() - ${seconds}::int * interval '1 second',
        begun_at = now() - ${seconds + 3}::int * interval '1 second'
      where feed_id = ${feedId}`;
  const KILLED = { stored: false, code: "UNAVAILABLE", detail: expect.stringContaining("stopped") };

  test("the history of an import whose gateway was killed says how many events were stored", async () => {
    const feedId = await scene.createFeed({ type: "stream" });
    await scene.push(feedId, rowsOf(10));
    let counts: Json;
    const { last } = await importFile(
      feedId,
      slowly(async (send) => {
        // Two parts, and a row that waits for others. An id comes twice.
        send(`${ndjson([{ id: 0 }, ...rowsOf(2 * IMPORT_ROWS_MAX)])}\n`);
        const stored = 2 * IMPORT_ROWS_MAX - 1;
        await waitFor(async () => (await scene.events(feedId)).length === stored, 60_000);
        await fallSilent(feedId, 660);
        await runJob(scene.gateway.sql, "abandoned batches");
        counts = (await scene.history(feedId)).slice(1);
        expect(counts).toMatchObject([
          {
            ...KILLED,
            rows_received: 2 * IMPORT_ROWS_MAX,
            rows_inserted: stored - 10,
            rows_duplicate: 11,
            duration_ms: 3_000,
          },
        ]);
        expect(counts[0].body_bytes).toBeGreaterThan(0n);
        send(ndjson(rowsOf(3_000)));
      }),
    );
    // It was alive, and finds that it has lost the feed: the history has it once.
    expect(last.problem).toMatchObject({ code: "UNAVAILABLE" });
    expect((await scene.history(feedId)).slice(1)).toEqual(counts);
    const page = await scene.gateway.get(`/v1/provider/feed/${feedId}/pushes`, undefined, {
      authorization: `Bearer ${scene.key}`,
    });
    expect(await page.json()).toMatchObject({
      pushes: [{ outcome: "refused", code: "UNAVAILABLE", rows_updated: 0, batch_id: null }, {}],
    });
  });

  test("the next import of the feed notes one whose gateway was killed, and what a collection had staged is no row", async () => {
    const feedId = await scene.createFeed({ type: "collection" });
    const { last } = await importFile(
      feedId,
      slowly(async (send) => {
        send(`${ndjson(rowsOf(2_500))}\n`);
        const { sql } = scene.gateway;
        const isStaged = async () => {
          const rows = await sql`select from collection_rows where feed_id = ${feedId}`;
          return rows.length === 2 * IMPORT_ROWS_MAX;
        };
        expect(await waitFor(isStaged, 60_000)).toBe(true);
        await fallSilent(feedId, 20);
        expect((await importFile(feedId, '{"id":"next"}')).last.receipt).toBeDefined();
        send(ndjson(rowsOf(2_500)));
      }),
    );
    expect(last.problem).toMatchObject({ code: "UNAVAILABLE" });
    const history = await scene.history(feedId);
    expect(history).toMatchObject([
      { ...KILLED, rows_inserted: 0, rows_duplicate: 0 },
      { stored: true, rows_inserted: 1 },
    ]);
    expect(history[0].rows_received).toBe(2 * IMPORT_ROWS_MAX);
    expect(await scene.shown(feedId)).toEqual(['{"id":"next"}']);
  });

  test("all bad lines are counted, and the first 20 are told", async () => {
    const feedId = await scene.createFeed({ type: "stream" });
    const { last } = await importFile(feedId, ndjson(rowsOf(50).map(() => ({ n: 1 }))));
    expect(last.problem).toMatchObject({ code: "VALIDATION_FAILED", error_count: 50 });
    expect(last.problem.errors).toHaveLength(20);
  });

  test("a line counts once, however many mistakes the schema finds in it", async () => {
    const text = { type: "string" };
    const schema = { type: "object", properties: { a: text, b: text } };
    const feedId = await scene.createFeed({ type: "stream", schema });
    const { last } = await importFile(feedId, ndjson(rowsOf(50, () => ({ a: 1, b: 2 }))));
    expect(last.problem).toMatchObject({ code: "VALIDATION_FAILED", error_count: 50 });
  });

  for (const type of ["application/x-ndjson", "text/csv"]) {
    test(`a file of nothing but line ends is given up early (${type})`, async () => {
      const feedId = await scene.createFeed({ type: "stream" });
      const file = `${type === "text/csv" ? "id" : '{"id":1}'}\n${"\n".repeat(100_000_000)}`;
      const { last, problem } = await importFile(feedId, Bun.gzipSync(file), {
        type,
        headers: { "content-encoding": "gzip" },
      });
      expect((last?.problem ?? problem).detail).toContain("remove empty lines");
      expect(await scene.history(feedId)).toMatchObject([{ stored: false }]);
    });
  }

  test("a locked schema holds for each row", async () => {
    const schema = { type: "object", properties: { n: { type: "integer", maximum: 5_000 } } };
    const feedId = await scene.createFeed({ type: "stream", schema });
    const { last } = await importFile(feedId, ndjson(rowsOf(6_000, (at) => ({ n: at }))));
    expect(last.problem).toMatchObject({
      code: "VALIDATION_FAILED",
      rows_inserted: 5_001,
      error_count: 999,
    });
    expect(last.problem.errors).toHaveLength(20);
    expect(last.problem.errors[0]).toMatchObject({ line: 5_002, path: "/n", row_id: "5001" });
    expect((await scene.events(feedId)).length).toBe(5_001);
  });
});

describe("import of CSV", () => {
  const schema = {
    type: "object",
    properties: {
      id: { type: "integer" },
      price: { type: ["number", "null"] },
      live: { type: "boolean" },
      tags: { type: "array" },
      name: { type: "string" },
      any: { anyOf: [{ type: "number" }, { type: "string" }] },
    },
  };

  test("values take the types of the schema, and what is empty is left out", async () => {
    const feedId = await scene.createFeed({ type: "collection", schema });
    const file =
      "\ufeffid,price,live,tags,name,any,more\r\n" +
      '1,1.10,true,"[1, ""a""]","Li ""ma""\nPeru",7,x\r\n' +
      "9007199254740993,,false,,=1+1,seven,12\r\n";
    const { last } = await importFile(feedId, file, { type: `${CSV}; charset=utf-8` });
    expect(last.receipt).toMatchObject({ rows_inserted: 2 });
    expect(await scene.shown(feedId)).toEqual([
      '{"id":1,"price":1.10,"live":true,"tags":[1,"a"],"name":"Li \\"ma\\"\\nPeru","any":7,"more":"x"}',
      '{"id":9007199254740993,"live":false,"name":"=1+1","any":"seven","more":"12"}',
    ]);
  });

  test("values take the types of references, of enum and of const", async () => {
    const referring = {
      type: "object",
      properties: {
        ref: { $ref: "#/$defs/a~1b" },
        maybe: { anyOf: [{ $ref: "#/$defs/flag" }, { type: "null" }] },
        one: { enum: [1, 2, "x"] },
        fixed: { const: true },
        // Of the enum only those of the type are allowed.
        text: { type: "string", enum: ["1", 1] },
        loop: { $ref: "#/$defs/loop" },
      },
      $defs: {
        "a/b": { $ref: "#/$defs/n" },
        n: { type: "number" },
        flag: { type: "boolean" },
        loop: { anyOf: [{ type: "integer" }, { type: "array", items: { $ref: "#/$defs/loop" } }] },
      },
    };
    const feedId = await scene.createFeed({ type: "collection", schema: referring });
    const file =
      'id,ref,maybe,one,fixed,text,loop\na,1.10,true,1,true,1,7\nb,2,null,x,,,"[1,[2]]"\n';
    const { last } = await importFile(feedId, file, { type: CSV });
    expect(last.receipt).toMatchObject({ rows_inserted: 2 });
    expect(await scene.shown(feedId)).toEqual([
      '{"id":"a","ref":1.10,"maybe":true,"one":1,"fixed":true,"text":"1","loop":7}',
      '{"id":"b","ref":2,"maybe":null,"one":"x","loop":[1,[2]]}',
    ]);
  });

  test("references that lead back end, and values of others are strings", async () => {
    const properties = {
      own: { $ref: "#/properties/own" },
      there: { $ref: "#/$defs/none" },
      back: { $ref: "#/properties/own" },
    };
    const chunks = (async function* () {
      yield Buffer.from("id,own,there,back\n1,2,3,4\n");
    })();
    const schema = JSON.stringify({ properties });
    const rows = await Array.fromAsync(
      readCsv(chunks, { schema, isStream: false, recordBytesMax: 100 }),
    );
    const texts = rows.flat().map(({ text }) => text);
    expect(texts).toEqual(['{"id":"1","own":"2","there":"3","back":"4"}']);
  });

  test("null is a text where the column may have one, and null elsewhere", async () => {
    const properties = {
      name: { type: ["string", "null"] },
      price: { type: ["number", "null"] },
    };
    const feedId = await scene.createFeed({ type: "collection", schema: { properties } });
    await importFile(feedId, 'id,name,price\n1,null,null\n2,"null","null"\n', {
      type: CSV,
    });
    expect(await scene.shown(feedId)).toEqual([
      '{"id":"1","name":"null","price":null}',
      '{"id":"2","name":"null","price":null}',
    ]);
  });

  test("a column that is a field's but for case or spaces is refused by name", async () => {
    const refused = async (type: "collection" | "stream", header: string) => {
      const feedId = await scene.createFeed({ type, schema });
      const { last } = await importFile(feedId, `${header}\n1,2\n`, { type: CSV });
      return last.problem?.errors[0].message ?? "";
    };
    expect(await refused("collection", "id, price")).toContain(
      'the column " price", and the feed has the field "price"',
    );
    expect(await refused("collection", "id,Price")).toContain('"Price"');
    expect(await refused("collection", "ID,price")).toContain('the field "id"');
    expect(await refused("stream", "id,Event Timestamp")).toContain('the field "event_timestamp"');
    expect(await refused("collection", "id,Event Timestamp")).toBe("");
    expect(await refused("collection", "id,prices")).toBe("");
    const feedId = await scene.createFeed({ type: "collection", schema });
    const { last } = await importFile(feedId, "id,price,Price\n1,2,3\n", { type: CSV });
    expect(last.receipt).toMatchObject({ rows_inserted: 1 });
  });

  test("an export comes back as it was, with the fields that have no column", async () => {
    const feedId = await scene.createFeed({ type: "collection", schema });
    const rows = [
      { id: 1, price: 1.5, name: "a", more: { x: [1, null] }, _other: "mine" },
      { id: 2, name: "b" },
    ];
    await scene.push(feedId, rows);
    const before = await scene.shown(feedId);
    const reader = await scene.gateway.createKey(scene.accountId, "read");
    const url = `${scene.gateway.baseUrl}/v1/feed/${feedId}/export?format=csv`;
    const file = await (await fetch(url, { headers: { "x-api-key": reader } })).text();
    expect(file).toContain("_other");
    const { last } = await importFile(feedId, file, { type: CSV });
    expect(last.receipt).toMatchObject({ rows_inserted: 2 });
    expect(await scene.shown(feedId)).toEqual(before);
    const bad = await importFile(feedId, 'id,_other\n1,x\n2,{}\n3,"{""id"":4}"\n', { type: CSV });
    expect(bad.last.problem.errors.map(({ line, message }: Json) => `${line} ${message}`)).toEqual([
      '2 _other must be a JSON object of further fields, got "x"',
      expect.stringMatching(/^4 .*one key twice/),
    ]);
  });

  test("without a schema all values are strings", async () => {
    const feedId = await scene.createFeed({ type: "collection" });
    await importFile(feedId, "id,n\n1,2\n", { type: CSV });
    expect(await scene.shown(feedId)).toEqual(['{"id":"1","n":"2"}']);
  });

  test("characters that come in parts are whole, and events before bytes that are none are stored", async () => {
    const feedId = await scene.createFeed({ type: "stream" });
    const file = Buffer.concat([
      Buffer.from("\ufeffid,event_timestamp,n\n1,2026-01-01T00:00:00Z,\u00e9\u20ac\u{1f600}\n"),
      Buffer.from("2,2026-01-01T00:00:00Z,\ufeffb\n3,2026-01-01T00:00:00Z,"),
      Buffer.from([0xc3, 0x28, 0x0a]),
    ]);
    for (const size of [1, 2, 7, file.length]) {
      const pieces = new ReadableStream({
        async start(controller) {
          for (let at = 0; at < file.length; at += size) {
            controller.enqueue(file.subarray(at, at + size));
            await Bun.sleep(1);
          }
          controller.close();
        },
      });
      const { last } = await importFile(feedId, pieces, { type: CSV });
      expect(last.problem.errors).toMatchObject([{ line: 4 }]);
    }
    const rows = (await scene.events(feedId)).map((row) => JSON.parse(row).n);
    expect(rows).toEqual(["\u00e9\u20ac\u{1f600}", "\ufeffb"]);
  });

  test("every character of a value comes through", async () => {
    const feedId = await scene.createFeed({ type: "collection" });
    const codes = [...Array(0x300).keys(), 0x2028, 0xd7ff, 0xe000, 0xfffd, 0xffff, 0x1f600];
    const texts = codes.filter((code) => code > 0).map((code) => `a${String.fromCodePoint(code)}b`);
    const lines = texts.map((text, id) => `${id},"${text.replaceAll('"', '""')}"\n`);
    await importFile(feedId, `id,n\n${lines.join("")}`, { type: CSV });
    expect((await scene.shown(feedId)).map((row) => JSON.parse(row).n)).toEqual(texts);
  });

  test("bad lines are told by the line on which they begin", async () => {
    const feedId = await scene.createFeed({ type: "collection", schema });
    const file = 'id,price,name\n1,1,"a\nb"\n\n2,cheap,c\n3\n4,2,d,e\n,5,f\nx,6,g\n';
    const { last } = await importFile(feedId, file, { type: CSV });
    expect(last.problem.errors.map(({ line, message }: Json) => `${line} ${message}`)).toEqual([
      '5 price must be of type number or null, got "cheap"',
      "6 the line has 1 value, and the header 3 columns",
      "7 the line has 4 values, and the header 3 columns",
      "8 line 8 has no id; give each row an id, a string or a number",
      '9 id must be of type integer, got "x"',
    ]);
  });

  const headers: Readonly<Record<string, readonly [string, RegExp, number]>> = {
    "a header without id": ["a,b\n1,2\n", /no column id/, 1],
    "a column that comes twice": ["id,a,a\n1,2,3\n", /"a" twice/, 1],
    "a column without a name": ["id,,a\n1,2,3\n", /column 2 of the header has no name/, 1],
    "a quote that is not closed": ['id,a\n1,2\n2,"b\n3,c\n', /not closed/, 3],
    "a quote out of place": ['id,a\n1,b"c\n', /out of place/, 2],
    "bytes that are not UTF-8": ["id,a\n1,b\n2,\u00ff\n", /not valid UTF-8/, 3],
  };
  for (const [name, [file, message, line]] of Object.entries(headers)) {
    test(`${name} is a bad line`, async () => {
      const feedId = await scene.createFeed({ type: "collection" });
      const { last } = await importFile(feedId, Buffer.from(file, "latin1"), { type: CSV });
      expect(last.problem.errors.at(-1)).toMatchObject({
        line,
        message: expect.stringMatching(message),
      });
    });
  }
});

describe("refused before the first row", () => {
  test("a file without rows is 422, and is told by what it has", async () => {
    const feedId = await scene.createFeed({ type: "collection" });
    for (const [type, body, message] of [
      [NDJSON, "", "the file is empty"],
      [NDJSON, "\n \r\n", "the file has no rows; send one JSON object per line"],
      [CSV, "", "the file is empty"],
      [CSV, "id,a\r\n", "the file has no rows; its first line names the columns"],
    ] as const) {
      const { status, problem, headers } = await importFile(feedId, body, { type });
      expect({ status, code: problem.code }).toEqual({ status: 422, code: "VALIDATION_FAILED" });
      expect(problem.detail).toContain(message);
      expect(headers.get("x-ratelimit-limit")).not.toBeNull();
    }
    expect((await scene.history(feedId)).length).toBe(4);
    // The feed is free again.
    expect((await importFile(feedId, '{"id":1}')).last.receipt.rows_inserted).toBe(1);
  });

  test("a singleton takes no rows, and another media type is 415", async () => {
    const singleton = await scene.createFeed({ type: "singleton" });
    expect(await importFile(singleton, '{"id":1}')).toMatchObject({ status: 415 });
    const feedId = await scene.createFeed({ type: "collection" });
    const { status, problem } = await importFile(feedId, "[]", { type: "application/json" });
    expect({ status, detail: problem.detail }).toEqual({
      status: 415,
      detail:
        'The Content-Type "application/json" is not supported. Send application/x-ndjson (one row per line) or text/csv.',
    });
  });

  test("lines of JSON and CSV have several media types", async () => {
    const feedId = await scene.createFeed({ type: "collection" });
    for (const type of ["application/jsonl", "application/x-jsonlines", "text/x-ndjson"]) {
      const { last } = await importFile(feedId, '{"id":1}', { type });
      expect([type, last.receipt.rows_inserted]).toEqual([type, 1]);
    }
    for (const type of ["application/csv", "text/x-csv"]) {
      const { last } = await importFile(feedId, "id\n1\n", { type });
      expect([type, last.receipt.rows_inserted]).toEqual([type, 1]);
    }
  });

  test("a file that is compressed or in UTF-16 without a word is told what it is", async () => {
    const feedId = await scene.createFeed({ type: "collection" });
    const text = "id,n\n1,2\n";
    const utf16 = Buffer.from(text, "utf16le");
    const files: readonly (readonly [Uint8Array, string])[] = [
      [gzipSync(text), "gzip"],
      [Buffer.from([0x50, 0x4b, 3, 4, 0]), "Excel"],
      [Buffer.concat([Buffer.from([0xff, 0xfe]), utf16]), "UTF-16"],
      [utf16, "UTF-16"],
    ];
    for (const [file, kind] of files) {
      for (const type of [CSV, NDJSON]) {
        const { status, problem } = await importFile(feedId, file, { type });
        expect({ status, code: problem.code }).toEqual({
          status: 415,
          code: "UNSUPPORTED_MEDIA_TYPE",
        });
        expect(problem.detail).toContain(kind);
      }
      const byByte = slowly(async (send) => {
        for (const byte of file) send(Buffer.from([byte]));
      });
      expect((await importFile(feedId, byByte, { type: CSV })).problem.detail).toContain(kind);
      const pushed = await fetch(`${scene.gateway.baseUrl}/v1/provider/feed/${feedId}/push`, {
        method: "POST",
        headers: { authorization: `Bearer ${scene.key}`, "content-type": "application/json" },
        body: new Uint8Array(file),
      });
      expect(pushed.status).toBe(400);
      expect(((await pushed.json()) as Json).detail).toContain(kind);
    }
  });

  test("a feed of another account, a read key and a suspended feed are refused like a push", async () => {
    const { gateway } = scene;
    expect(await importFile(crypto.randomUUID(), '{"id":1}')).toMatchObject({ status: 403 });
    const feedId = await scene.createFeed({ type: "collection" });
    const reader = await gateway.createKey(scene.accountId, "read");
    const headers = { authorization: `Bearer ${reader}` };
    expect(await importFile(feedId, '{"id":1}', { headers })).toMatchObject({ status: 403 });
    await gateway.sql`
      update feeds
      set suspension_reason = 'fraud', definition_version = definition_version + 1
      where feed_id = ${feedId}`;
    const { problem } = await importFile(feedId, '{"id":1}');
    expect(problem).toMatchObject({ code: "FEED_SUSPENDED", reason: "fraud" });
  });

  test("a file that says it is larger than 1 GB is 413", async () => {
    const feedId = await scene.createFeed({ type: "collection" });
    const { hostname, port } = new URL(scene.gateway.baseUrl);
    const answer = await new Promise<string>((resolve) => {
      let text = "";
      Bun.connect({
        hostname,
        port: Number(port),
        socket: {
          open: (socket) => {
            socket.write(
              `POST /v1/provider/feed/${feedId}/import HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${scene.key}\r\nContent-Type: ${NDJSON}\r\nContent-Length: ${2 ** 31}\r\n\r\n{"id":1}\n`,
            );
          },
          data: (socket, data) => {
            text += data;
            if (text.includes("import_body")) {
              socket.end();
              resolve(text);
            }
          },
        },
      });
    });
    expect(answer).toStartWith("HTTP/1.1 413");
  });

  test("one import of a feed runs at a time, and the slug names an own feed", async () => {
    const feedId = await scene.createFeed({ type: "collection" });
    const { endpoint_path: slug } = await scene.feed(feedId);
    let second: Imported | undefined;
    const { last } = await importFile(
      slug,
      slowly(async (send) => {
        send('{"id":1}\n');
        await untilBegun(feedId);
        second = await importFile(feedId, '{"id":2}');
        send('{"id":3}\n');
      }),
    );
    expect(second?.problem).toMatchObject({ status: 409, code: "IMPORT_RUNNING" });
    expect(last.receipt.rows_inserted).toBe(2);
  });

  test("an import counts in the feed's window", async () => {
    const limited = await startPushScene({ FEEDGATE_PUSH_LIMIT: "2" });
    const own = scene;
    scene = limited;
    try {
      const feedId = await limited.createFeed({ type: "stream" });
      await importFile(feedId, '{"id":1}');
      await limited.push(feedId, [{ id: 2 }]);
      const { status, problem } = await importFile(feedId, '{"id":3}');
      expect({ status, code: problem.code }).toEqual({ status: 429, code: "RATE_LIMITED" });
    } finally {
      scene = own;
      await limited.gateway.stop();
    }
  });
});

describe("what may happen to an import", () => {
  test("gzip is decoded, and a broken stream stores nothing", async () => {
    const feedId = await scene.createFeed({ type: "collection" });
    const zipped = gzipSync(ndjson(rowsOf(50_000)));
    const headers = { "content-encoding": "gzip" };
    const { last } = await importFile(feedId, zipped, { headers });
    expect(last.receipt.rows_inserted).toBe(50_000);
    const broken = await importFile(feedId, zipped.subarray(0, zipped.length - 2_000), { headers });
    expect(broken.last.problem).toMatchObject({
      code: "BODY_NOT_JSON",
      detail: expect.stringContaining("gzip"),
    });
    expect((await scene.shown(feedId)).length).toBe(50_000);
  });

  for (const framing of ["length", "chunked"] as const) {
    test(`a connection that is cut ends the import (${framing}), and the collection is as before`, async () => {
      const feedId = await scene.createFeed({ type: "collection" });
      await scene.push(feedId, [{ id: "old" }]);
      await sendAndCut(feedId, { framing, piece: `${ndjson(rowsOf(20_000))}\n` });
      let history: Json[] = [];
      for (let tries = 0; tries < 50 && history.length < 2; tries++) {
        await Bun.sleep(50);
        history = await scene.history(feedId);
      }
      expect(history.at(-1)).toMatchObject({ stored: false, code: "BODY_NOT_JSON" });
      expect(await scene.shown(feedId)).toEqual(['{"id":"old"}']);
      expect((await importFile(feedId, '{"id":1}')).last.receipt.rows_inserted).toBe(1);
    });
  }

  /** Sends a file to be imported; resolves when the answer begins. */
  const post = (feedId: string, body: ReadableStream, headers: Record<string, string> = {}) =>
    fetch(`${scene.gateway.baseUrl}/v1/provider/feed/${feedId}/import`, {
      method: "POST",
      headers: { authorization: `Bearer ${scene.key}`, "content-type": NDJSON, ...headers },
      body,
    });

  test("progress comes while the file does", async () => {
    const feedId = await scene.createFeed({ type: "stream" });
    const seen = Promise.withResolvers<void>();
    const { body } = await post(
      feedId,
      slowly(async (send) => {
        send('{"id":1}\n');
        await seen.promise;
        send('{"id":2}\n');
      }),
    );
    const texts = present(body).pipeThrough(new TextDecoderStream());
    let text = "";
    for await (const piece of texts) {
      text += piece;
      if (text.includes("\n")) seen.resolve();
    }
    const lines = text.trimEnd().split("\n");
    expect(JSON.parse(lines[0] ?? "")).toEqual({ rows: 1, bytes: 9 });
    expect(JSON.parse(lines.at(-1) ?? "")).toMatchObject({ receipt: { rows_inserted: 2 } });
  });

  test("without progress, the answer begins once the whole file has come, or the import has failed", async () => {
    const feedId = await scene.createFeed({ type: "stream" });
    const off = { "Feedgate-Progress": "off" };
    const lastOf = async (answer: Response) =>
      JSON.parse((await answer.text()).trimEnd().split("\n").at(-1) ?? "");
    let sent = 0;
    const good = await post(
      feedId,
      slowly(async (send) => {
        for (const part of ['{"id":1}\n', '{"id":2}\n', '{"id":3}\n']) {
          send(part);
          sent += 1;
          // Several times as long as progress is due.
          await Bun.sleep(100);
        }
      }),
      off,
    );
    expect(sent).toBe(3);
    expect(await lastOf(good)).toMatchObject({ receipt: { rows_inserted: 3 } });
    const begun = Promise.withResolvers<void>();
    const bad = await post(
      feedId,
      slowly(async (send) => {
        send("x".repeat(5_000_000));
        // It begins though the file goes on.
        await begun.promise;
      }),
      off,
    );
    begun.resolve();
    expect(await lastOf(bad)).toMatchObject({ problem: { code: "VALIDATION_FAILED" } });
    const headers = { "Feedgate-Progress": "on" };
    const { problem } = await importFile(feedId, '{"id":4}', { headers });
    expect(problem).toMatchObject({ status: 400, code: "INVALID_PARAMETER" });
  });

  test("an edit of the feed meanwhile does no harm, and a deletion ends the import", async () => {
    const feedId = await scene.createFeed({ type: "collection" });
    const edit = () =>
      scene.gateway.send("PATCH", `/v1/provider/feed/${feedId}/edit`, scene.key, { name: "New" });
    const edited = await importFile(
      feedId,
      slowly(async (send) => {
        send(`${ndjson(rowsOf(5_000))}\n`);
        await untilBegun(feedId);
        await edit();
        send('{"id":"last"}');
      }),
    );
    expect(edited.last.receipt.rows_inserted).toBe(5_001);
    const deleted = await importFile(
      feedId,
      slowly(async (send) => {
        send(`${ndjson(rowsOf(5_000))}\n`);
        await untilBegun(feedId);
        await fetch(`${scene.gateway.baseUrl}/v1/provider/feed/${feedId}`, {
          method: "DELETE",
          headers: { authorization: `Bearer ${scene.key}` },
        });
        send('{"id":"last"}');
      }),
    );
    expect(deleted.last.problem).toMatchObject({ status: 403, code: "FEED_FORBIDDEN" });
  });
});
