import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { cancelLockWaiters } from "../support/lock_waiters.ts";
import { type PushScene, startPushScene } from "../support/push_scene.ts";

const SINGLETON_BYTES = 4_000;
const REQUEST_BYTES = 2_000;
const ROW_BYTES = 500;
const ROWS = 10;

let scene: PushScene;
/** With the interface's own limits of sizes. */
let large: PushScene;
beforeAll(async () => {
  scene = await startPushScene({
    FEEDGATE_SINGLETON_BODY_BYTES: String(SINGLETON_BYTES),
    FEEDGATE_REQUEST_BODY_BYTES: String(REQUEST_BYTES),
    FEEDGATE_ROW_BYTES: String(ROW_BYTES),
    FEEDGATE_ROWS: String(ROWS),
  });
  large = await startPushScene();
});
afterAll(() => Promise.all([scene, large].map(({ gateway }) => gateway.stop())));

const NDJSON = { "Content-Type": "application/x-ndjson" };
const RATE_HEADERS = ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"];

/** A document or row of exactly so many bytes, as compact JSON. */
function sized(bytes: number, fields = ""): string {
  const empty = `{${fields}"pad":""}`;
  return `{${fields}"pad":"${"x".repeat(bytes - empty.length)}"}`;
}

/** An array of rows whose text has exactly so many bytes. */
function rowsOf(bytes: number, rowCount: number): string {
  const each = Math.floor((bytes - 1 - rowCount) / rowCount);
  const rest = bytes - 1 - rowCount - each * rowCount;
  const rows = Array.from({ length: rowCount }, (_, id) =>
    sized(each + (id === 0 ? rest : 0), `"id":${id},`),
  );
  return `[${rows.join(",")}]`;
}

function expectRateHeaders(headers: Headers): void {
  for (const name of RATE_HEADERS) expect(headers.get(name)).toMatch(/^\d+$/);
}

describe("422: every row is listed", () => {
  const PRICE = { type: "object", properties: { price: { type: "number" } }, required: ["price"] };

  test("a row without id is named by its place, and hides neither its like nor what a locked schema refuses", async () => {
    const feedId = await scene.createFeed({ type: "collection", schema: PRICE });
    const rows = [
      { price: 1 },
      { id: 2, price: "x" },
      { id: 3, price: 3 },
      { price: 4 },
      { id: 5 },
    ];
    for (const [body, base] of [
      [rows, ""],
      [{ payload: rows }, "/payload"],
    ] as const) {
      const { status, body: problem } = await scene.push(feedId, body);
      expect([status, problem.code, problem.error_count]).toEqual([422, "VALIDATION_FAILED", 4]);
      const noId = "has no id; give each row an id, a string or a number";
      expect(problem.errors).toEqual([
        { path: `${base}/0`, message: `row 0 ${noId}`, row_index: 0 },
        { path: `${base}/1/price`, message: "must be a number", row_index: 1, row_id: "2" },
        { path: `${base}/3`, message: `row 3 ${noId}`, row_index: 3 },
        {
          path: `${base}/4`,
          message: 'must have the property "price"',
          row_index: 4,
          row_id: "5",
        },
      ]);
    }
    const lines = rows.map((row) => JSON.stringify(row)).join("\n\n");
    const lined = await scene.push(feedId, lines, { headers: NDJSON });
    expect(lined.body.errors.map(({ path }: { path: string }) => path)).toEqual([
      "/0",
      "/2/price",
      "/6",
      "/8",
    ]);
  });

  test("at most 20 mistakes are listed, in the order of the rows, and all are counted", async () => {
    const feedId = await large.createFeed({ type: "stream", schema: PRICE });
    const rows = Array.from({ length: 60 }, (_, index) =>
      index % 2 === 0 ? { price: 1 } : { id: index, price: "x" },
    );
    const { body } = await large.push(feedId, rows);
    expect(body.error_count).toBe(60);
    expect(body.errors.map(({ row_index }: { row_index: number }) => row_index)).toEqual(
      Array.from({ length: 20 }, (_, index) => index),
    );
    const [refused] = await large.history(feedId);
    expect(refused).toMatchObject({ stored: false, rows_received: 60 });
  });
});

describe("401 and 403", () => {
  test("no key, and a key that is no Bearer token, are 401 KEY_REQUIRED", async () => {
    const feedId = await scene.createFeed();
    for (const headers of [
      {},
      { "x-api-key": scene.key },
      { Authorization: `Basic ${scene.key}` },
    ]) {
      const answer = await scene.push(feedId, {}, { key: undefined, headers });
      expect(answer.status).toBe(401);
      expect(answer.body.code).toBe("KEY_REQUIRED");
      expect(answer.headers.get("www-authenticate")).toBe("Bearer");
      expect(answer.headers.get("content-type")).toBe("application/problem+json");
      expect(answer.headers.get("x-ratelimit-limit")).toBeNull();
    }
  });
  test("an unknown, revoked or expired key is 401 KEY_INVALID, also where it was known", async () => {
    const { gateway } = scene;
    const feedId = await scene.createFeed({ type: "singleton" });
    expect((await scene.push(feedId, {}, { key: "nonsense" })).body.code).toBe("KEY_INVALID");
    for (const column of ["revoked_at", "expires_at"]) {
      const key = await gateway.createKey(scene.accountId, "write");
      expect((await scene.push(feedId, {}, { key })).status).toBe(200);
      await gateway.sql`
        update api_keys set ${gateway.sql(column)} = now() - interval '1 second'
        where key_start = ${key.slice(0, 12)}`;
      const refused = await scene.push(feedId, {}, { key });
      expect([refused.status, refused.body.code]).toEqual([401, "KEY_INVALID"]);
      // Before the ownership check, which goes after the key.
      const other = await scene.push(crypto.randomUUID(), {}, { key });
      expect([other.status, other.body.code]).toEqual([401, "KEY_INVALID"]);
    }
  });
  test("a read key is 403 KEY_PERMISSION", async () => {
    const key = await scene.gateway.createKey(scene.accountId, "read");
    const answer = await scene.push(await scene.createFeed(), {}, { key });
    expect([answer.status, answer.body.code]).toEqual([403, "KEY_PERMISSION"]);
  });
  test("an unknown feed id, one that is no UUID and another account's are the same 403, whatever the body", async () => {
    const other = await scene.gateway.createAccount();
    const key = await scene.gateway.createKey(other, "write");
    const feedId = await scene.createFeed({ type: "singleton" });
    const slug = (await scene.feed(feedId)).endpoint_path;
    const bodies = [];
    for (const reference of [crypto.randomUUID(), "nonsense", "%00", slug, feedId]) {
      const answer = await scene.push(reference, "[", {
        key,
        headers: { "Content-Type": "text/plain" },
      });
      expect([answer.status, answer.body.code]).toEqual([403, "FEED_FORBIDDEN"]);
      expect(answer.headers.get("x-ratelimit-limit")).toBeNull();
      const { request_id, ...body } = answer.body;
      bodies.push(body);
    }
    for (const body of bodies) expect(body).toEqual(bodies[0]);
    expect(await scene.history(feedId)).toEqual([]);
  });
});

describe("400", () => {
  test("an unknown or malformed parameter is 400 before ownership is checked, and is not counted", async () => {
    const feedId = await scene.createFeed({ type: "singleton" });
    for (const query of ["?dryrun=true", "?dry_run=1", "?dry_run=true&dry_run=true", "?dry_run="]) {
      for (const reference of [feedId, crypto.randomUUID()]) {
        const answer = await scene.push(reference, {}, { query });
        expect([answer.status, answer.body.code]).toEqual([400, "INVALID_PARAMETER"]);
        expect(answer.headers.get("x-ratelimit-limit")).toBeNull();
      }
    }
    expect(await scene.history(feedId)).toEqual([]);
  });
  test("a body that is not JSON, not UTF-8, not a whole gzip stream, or empty is 400", async () => {
    const feedId = await scene.createFeed({ type: "singleton" });
    const gzip = { "Content-Encoding": "gzip" };
    const cases: [string | Uint8Array, Record<string, string>?][] = [
      [""],
      [" "],
      ["{"],
      ["{}{}"],
      ["{'a':1}"],
      ["\ufeff{}"],
      [new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
      ["{}", gzip],
      [Bun.gzipSync("{}").slice(0, -2), gzip],
      [Bun.gzipSync("{"), gzip],
    ];
    for (const [body, headers = {}] of cases) {
      const answer = await scene.push(feedId, body, { headers });
      expect([answer.status, answer.body.code]).toEqual([400, "BODY_NOT_JSON"]);
      expectRateHeaders(answer.headers);
    }
  });
});

describe("413", () => {
  async function expectTooLarge(
    feedId: string,
    body: string,
    hints: Record<string, unknown>,
    headers: Record<string, string> = {},
  ): Promise<void> {
    const answer = await scene.push(feedId, body, { headers });
    expect([answer.status, answer.body.code]).toEqual([413, "PAYLOAD_TOO_LARGE"]);
    const { limit, max_bytes, max_rows, row_index } = answer.body;
    expect({ limit, max_bytes, max_rows, row_index }).toEqual({
      max_bytes: undefined,
      max_rows: undefined,
      row_index: undefined,
      ...hints,
    } as never);
    expect(answer.headers.get("connection")).toBe("close");
    expectRateHeaders(answer.headers);
  }

  test("a singleton's body of exactly the limit passes, and a byte more is 413 singleton_body", async () => {
    const feedId = await scene.createFeed({ type: "singleton" });
    expect((await scene.push(feedId, sized(SINGLETON_BYTES))).status).toBe(200);
    const hints = { limit: "singleton_body", max_bytes: SINGLETON_BYTES };
    await expectTooLarge(feedId, sized(SINGLETON_BYTES + 1), hints);
    // White space counts in the body, though it is not stored.
    await expectTooLarge(feedId, `${sized(SINGLETON_BYTES)} `, hints);
  });
  test("a collection's or stream's body over the limit is 413 request_body, counted after gzip decoding", async () => {
    const hints = { limit: "request_body", max_bytes: REQUEST_BYTES };
    for (const type of ["collection", "stream"] as const) {
      const feedId = await scene.createFeed({ type });
      expect((await scene.push(feedId, rowsOf(REQUEST_BYTES, 5))).status).toBe(200);
      await expectTooLarge(feedId, rowsOf(REQUEST_BYTES + 1, 5), hints);
      const zipped = Bun.gzipSync(rowsOf(REQUEST_BYTES + 1, 5));
      const answer = await scene.push(feedId, zipped, { headers: { "Content-Encoding": "gzip" } });
      expect(answer.body).toMatchObject(hints);
    }
  });
  test("a body without Content-Length is cut at the limit", async () => {
    const feedId = await scene.createFeed({ type: "collection" });
    const chunk = new TextEncoder().encode(" ".repeat(100_000));
    let chunks = 0;
    const body = new ReadableStream({
      async pull(controller) {
        if (chunks++ === 1_000) return controller.close();
        controller.enqueue(chunk);
        await Bun.sleep(1);
      },
    });
    const response = await fetch(`${scene.gateway.baseUrl}/v1/provider/feed/${feedId}/push`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${scene.key}` },
      body,
    });
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ limit: "request_body" });
    expect(chunks).toBeLessThan(500);
  });
  test("a Content-Length of gigabytes is 413 before a byte of the body is there", async () => {
    const feedId = await scene.createFeed({ type: "collection" });
    const { hostname, port } = new URL(scene.gateway.baseUrl);
    const socket = connect(Number(port), hostname);
    socket.write(
      `POST /v1/provider/feed/${feedId}/push HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${scene.key}\r\nContent-Type: application/json\r\nContent-Length: 9000000000\r\n\r\n`,
    );
    let answer = "";
    for await (const part of socket) answer += part;
    expect(answer).toStartWith("HTTP/1.1 413");
    expect(answer).toContain("application/problem+json");
    expect(answer).toContain('"limit":"request_body"');
  });
  test("a body whose Content-Length is sent twice is counted as it comes in", async () => {
    const feedId = await scene.createFeed({ type: "collection" });
    const { hostname, port } = new URL(scene.gateway.baseUrl);
    const send = async (body: string) => {
      const length = `Content-Length: ${body.length}\r\n`;
      const socket = connect(Number(port), hostname);
      socket.write(
        `POST /v1/provider/feed/${feedId}/push HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer ${scene.key}\r\nContent-Type: application/json\r\n${length}${length}\r\n${body}`,
      );
      let answer = "";
      for await (const part of socket) answer += part;
      return Number(answer.split(" ")[1]);
    };
    expect(await send('[{"id":1}]')).toBe(200);
    expect(await send(`[{"id":"${"x".repeat(3_000_000)}"}]`)).toBe(413);
    expect((await scene.push(feedId, [{ id: 2 }])).status).toBe(200);
    const metrics = await (await scene.gateway.get("/metrics")).text();
    expect(metrics).toContain("\nfeedgate_bodies_bytes 0\n");
  });
  test("as many rows as the limit pass, and one more is 413 row_count", async () => {
    const rows = (count: number) => Array.from({ length: count }, (_, id) => `{"id":${id}}`);
    for (const type of ["collection", "stream"] as const) {
      const feedId = await scene.createFeed({ type });
      const hints = { limit: "row_count", max_rows: ROWS };
      expect((await scene.push(feedId, `[${rows(ROWS)}]`)).status).toBe(200);
      await expectTooLarge(feedId, `[${rows(ROWS + 1)}]`, hints);
      await expectTooLarge(feedId, `{"payload":[${rows(ROWS + 1)}]}`, hints);
      expect((await scene.push(feedId, rows(ROWS).join("\n"), { headers: NDJSON })).status).toBe(
        200,
      );
      await expectTooLarge(feedId, rows(ROWS + 1).join("\n"), hints, NDJSON);
    }
  });
  test("a row of exactly the limit passes, and a byte more is 413 row_payload with its index", async () => {
    for (const type of ["collection", "stream"] as const) {
      const feedId = await scene.createFeed({ type });
      const row = (bytes: number) => sized(bytes, '"id":2,');
      const wide = `{"id":2,"pad":"${"名".repeat((ROW_BYTES - 17) / 3)}"}`;
      expect(Buffer.byteLength(wide)).toBe(ROW_BYTES);
      expect((await scene.push(feedId, `[{"id":1},${row(ROW_BYTES)}]`)).status).toBe(200);
      expect((await scene.push(feedId, `[${wide}]`)).status).toBe(200);
      // Insignificant white space is no part of a row.
      const spaced = row(ROW_BYTES).replace(":", `:${" ".repeat(100)}`);
      expect((await scene.push(feedId, spaced)).status).toBe(200);
      const hints = { limit: "row_payload", max_bytes: ROW_BYTES };
      await expectTooLarge(feedId, `[{"id":1},${row(ROW_BYTES + 1)}]`, { ...hints, row_index: 1 });
      await expectTooLarge(feedId, `[${wide.replace("名", "名x")}]`, { ...hints, row_index: 0 });
      await expectTooLarge(feedId, `{"payload":${row(ROW_BYTES + 1)}}`, { ...hints, row_index: 0 });
      await expectTooLarge(
        feedId,
        `{"id":1}\n${row(ROW_BYTES + 1)}`,
        { ...hints, row_index: 1 },
        NDJSON,
      );
    }
  });
  test("sizes are checked before meaning: body, then row count, then the first row too large", async () => {
    const feedId = await scene.createFeed({ type: "collection" });
    const large = sized(ROW_BYTES + 1);
    const duplicate = '{"a":1,"a":1}';
    const small = Array.from({ length: ROWS }, () => "{}");
    await expectTooLarge(feedId, "[".repeat(REQUEST_BYTES + 1), {
      limit: "request_body",
      max_bytes: REQUEST_BYTES,
    });
    await expectTooLarge(feedId, `[${large},${small}]`, { limit: "row_count", max_rows: ROWS });
    await expectTooLarge(feedId, `[${duplicate},${small}]`, { limit: "row_count", max_rows: ROWS });
    const hints = { limit: "row_payload", max_bytes: ROW_BYTES, row_index: 1 };
    await expectTooLarge(feedId, `[{},${large},${large}]`, hints);
    await expectTooLarge(feedId, `[${duplicate},${large}]`, hints);
    await expectTooLarge(feedId, `${duplicate}\n${large}`, hints, NDJSON);
  });
  test("a feed without type has the singleton's body limit, and the collection's limits once the body is an array", async () => {
    const feedId = await scene.createFeed();
    const singleton = { limit: "singleton_body", max_bytes: SINGLETON_BYTES };
    const request = { limit: "request_body", max_bytes: REQUEST_BYTES };
    await expectTooLarge(feedId, sized(SINGLETON_BYTES + 1), singleton);
    await expectTooLarge(feedId, rowsOf(SINGLETON_BYTES + 1, 10), singleton);
    await expectTooLarge(feedId, rowsOf(REQUEST_BYTES + 1, 5), request);
    await expectTooLarge(feedId, `{"payload":${rowsOf(REQUEST_BYTES, 5)}}`, request);
    await expectTooLarge(feedId, `[${sized(ROW_BYTES + 1)}]`, {
      limit: "row_payload",
      max_bytes: ROW_BYTES,
      row_index: 0,
    });
    expect((await scene.push(feedId, sized(SINGLETON_BYTES))).body.feed_type).toBe("singleton");
  });
  test("a push that is too large to read is in the history", async () => {
    const feedId = await scene.createFeed({ type: "singleton" });
    await scene.push(feedId, sized(SINGLETON_BYTES + 1));
    expect(await scene.history(feedId)).toMatchObject([
      { stored: false, code: "PAYLOAD_TOO_LARGE", rows_received: 0 },
    ]);
  });
});

test("415: a Content-Type that is no JSON, or a coding that is not read", async () => {
  const feedId = await scene.createFeed({ type: "collection" });
  const refused: Record<string, string>[] = [
    { "Content-Type": "text/plain" },
    { "Content-Type": "application/json; charset=latin1" },
    { "Content-Encoding": "br" },
  ];
  for (const headers of refused) {
    // Before the size: the body is larger than the limit.
    const answer = await scene.push(feedId, " ".repeat(REQUEST_BYTES + 1), { headers });
    expect([answer.status, answer.body.code]).toEqual([415, "UNSUPPORTED_MEDIA_TYPE"]);
    expectRateHeaders(answer.headers);
  }
  for (const type of ["application/json; charset=utf-8", "application/vnd.x+json"]) {
    const answer = await scene.push(feedId, "[]", { headers: { "Content-Type": type } });
    expect(answer.status).toBe(200);
  }
});

describe("422", () => {
  /** Paths of the errors of a refused push. */
  async function pathsOf(feedId: string, body: unknown): Promise<string[]> {
    const answer = await scene.push(feedId, body);
    expect([answer.status, answer.body.code]).toEqual([422, "VALIDATION_FAILED"]);
    expectRateHeaders(answer.headers);
    expect(answer.body.error_count).toBeGreaterThanOrEqual(answer.body.errors.length);
    for (const error of answer.body.errors) expect(error.message).toBeTruthy();
    return answer.body.errors.map(({ path }: { path: string }) => path);
  }

  test("a payload of another shape than the feed's type takes is 422", async () => {
    const singleton = await scene.createFeed({ type: "singleton" });
    for (const payload of [[], [{}], 1, "a", null, true]) {
      expect(await pathsOf(singleton, JSON.stringify(payload))).toEqual([""]);
      expect(await pathsOf(singleton, { payload })).toEqual(["/payload"]);
    }
    for (const type of ["collection", "stream"] as const) {
      const feedId = await scene.createFeed({ type });
      for (const payload of [1, "a", null]) {
        expect(await pathsOf(feedId, JSON.stringify(payload))).toEqual([""]);
        expect(await pathsOf(feedId, { payload })).toEqual(["/payload"]);
      }
      expect(await pathsOf(feedId, [{ id: 1 }, 1, null, [], "a"])).toEqual([
        "/1",
        "/2",
        "/3",
        "/4",
      ]);
    }
  });
  test("a row id that is missing, of another type, empty, too long or twice in one push is 422", async () => {
    for (const type of ["collection", "stream"] as const) {
      const feedId = await scene.createFeed({ type });
      expect(await pathsOf(feedId, { payload: [{ id: 1 }, {}, { ID: 1 }] })).toEqual([
        "/payload/1",
        "/payload/2",
      ]);
      expect(await pathsOf(feedId, { a: 1 })).toEqual([""]);
      const bad = [null, true, [1], {}, "", "x".repeat(257)];
      const rows = bad.map((id) => ({ id }));
      expect(await pathsOf(feedId, rows)).toEqual(bad.map((_, index) => `/${index}/id`));
      expect(await pathsOf(feedId, '[{"id":1},{"id":"1"},{"id":1.0},{"id":1e0}]')).toEqual([
        "/1/id",
        "/2/id",
        "/3/id",
      ]);
      expect((await scene.push(feedId, [{ id: "😀".repeat(100) }])).status).toBe(200);
    }
  });
  describe("a body that was meant as a wrapper", () => {
    const payload = [{ id: 1 }];

    test("payload beside other keys is 422 that names them, unless the feed is a singleton", async () => {
      for (const type of ["collection", "stream", undefined] as const) {
        const feedId = await scene.createFeed(type && { type });
        const answer = await scene.push(feedId, { payload, batchId: "b", complete: true });
        expect([answer.status, answer.body.code]).toEqual([422, "VALIDATION_FAILED"]);
        expect(answer.body.errors).toEqual([
          {
            path: "/batchId",
            message:
              'a wrapper contains only payload, batch_id and batch_complete; leave "batchId" out',
          },
          {
            path: "/complete",
            message:
              'a wrapper contains only payload, batch_id and batch_complete; leave "complete" out',
          },
        ]);
        expect((await scene.feed(feedId)).feed_type).toBe(type ?? null);
      }
      const singleton = await scene.createFeed({ type: "singleton" });
      expect((await scene.push(singleton, { payload, batchId: "b" })).status).toBe(200);
    });

    test("a list of rows under another name does not make a feed without a type a singleton", async () => {
      const feedId = await scene.createFeed();
      for (const name of ["rows", "data", "items", "records"]) {
        const answer = await scene.push(feedId, { [name]: payload, count: 1 });
        expect(answer.body.errors).toEqual([
          {
            path: `/${name}`,
            message: `${name} looks like the list of rows; send that array alone, or set the feed's feed_type to singleton first`,
          },
        ]);
        expect(await pathsOf(feedId, { payload: { [name]: payload } })).toEqual([
          `/payload/${name}`,
        ]);
      }
      expect((await scene.feed(feedId)).feed_type).toBeNull();
      // With a second list, or under another name, it is a document like any.
      expect((await scene.push(feedId, { rows: payload, tags: [] })).status).toBe(200);
      expect((await scene.push(await scene.createFeed(), { prices: [] })).status).toBe(200);
    });

    test("on a collection or stream a list of rows is named, too, and a row with an id is a row", async () => {
      for (const type of ["collection", "stream"] as const) {
        const feedId = await scene.createFeed({ type });
        const answer = await scene.push(feedId, { rows: payload });
        expect(answer.body.errors).toEqual([
          { path: "/rows", message: "rows looks like the list of rows; send that array alone" },
        ]);
        expect((await scene.push(feedId, { id: 1, rows: payload })).status).toBe(200);
      }
      const singleton = await scene.createFeed({ type: "singleton" });
      expect((await scene.push(singleton, { rows: payload })).status).toBe(200);
    });
  });
  test("an event_timestamp that is no RFC 3339 date-time is 422", async () => {
    const feedId = await scene.createFeed({ type: "stream" });
    const bad = ["now", "2024-02-30T00:00:00Z", "2024-01-01T00:00:00", "", null, 0, {}];
    const rows = bad.map((event_timestamp, id) => ({ id, event_timestamp }));
    expect(await pathsOf(feedId, { payload: rows })).toEqual(
      rows.map(({ id }) => `/payload/${id}/event_timestamp`),
    );
    // To a collection it is a field like any.
    const collection = await scene.createFeed({ type: "collection" });
    expect((await scene.push(collection, rows)).status).toBe(200);
  });
  test("batch_id and batch_complete of another type, or on a feed without batches, are 422", async () => {
    const collection = await scene.createFeed({ type: "collection" });
    const payload = [{ id: 1 }];
    for (const batch_id of [1, true, {}, "", "x".repeat(129)]) {
      expect(await pathsOf(collection, { payload, batch_id })).toEqual(["/batch_id"]);
    }
    for (const [batch_id, got] of [
      [1, "number"],
      ["", "0 characters"],
      ["x".repeat(129), "129 characters"],
    ] as const) {
      const { body } = await scene.push(collection, { payload, batch_id });
      expect(body.errors[0].message).toBe(
        `batch_id must be a string of 1 to 128 characters, got ${got}`,
      );
    }
    expect(await pathsOf(collection, { payload, batch_complete: "true" })).toEqual([
      "/batch_complete",
    ]);
    expect((await scene.push(collection, { payload, batch_id: "😀".repeat(128) })).status).toBe(
      200,
    );
    for (const type of ["singleton", "stream"] as const) {
      const feedId = await scene.createFeed({ type });
      const own = { payload: { id: 1 } };
      expect(await pathsOf(feedId, { ...own, batch_id: "b" })).toEqual(["/batch_id"]);
      expect(await pathsOf(feedId, { ...own, batch_id: "b", batch_complete: true })).toEqual([
        "/batch_id",
        "/batch_complete",
      ]);
      const absent = { ...own, batch_id: null, batch_complete: false };
      expect((await scene.push(feedId, absent)).status).toBe(200);
    }
    const untyped = await scene.createFeed();
    expect(await pathsOf(untyped, { payload: {}, batch_id: "b" })).toEqual(["/batch_id"]);
  });
  test("JSON that a row may not hold is 422 with the path that leads to it, and nothing is stored", async () => {
    const feedId = await scene.createFeed({ type: "collection" });
    const cases: [string, string][] = [
      ['{"payload":[{"id":1,"a":"\\u0000"}]}', "/payload/0/a"],
      ['[{"id":1},{"id":2,"a":{"b":["\\ud800"]}}]', "/1/a/b/0"],
      ['[{"id":1,"a":1e400}]', "/0/a"],
      ['[{"id":1,"a":1e-400}]', "/0/a"],
      ['{"id":1,"a":1,"\\u0061":2}', "/a"],
      ['{"payload":[],"payload":[]}', "/payload"],
    ];
    for (const [body, path] of cases) expect(await pathsOf(feedId, body)).toEqual([path]);
    expect(await scene.shown(feedId)).toEqual([]);
    expect(await scene.feed(feedId)).toMatchObject({ push_count: 0n, status: "draft" });
  });
  test("all mistakes that JSON may hold are listed at once, in each form of the body", async () => {
    const feedId = await scene.createFeed({ type: "collection" });
    const rows = ['{"id":1,"a":"\\u0000\\u0000"}', '{"id":2,"b":[1e400,{"c":1,"c":2}]}'];
    const inside = ["/0/a", "/1/b/0", "/1/b/1/c"];
    expect(await pathsOf(feedId, `[${rows}]`)).toEqual(inside);
    const wrapped = inside.map((path) => `/payload${path}`);
    expect(await pathsOf(feedId, `{"payload":[${rows}]}`)).toEqual(wrapped);
    const headers = { "Content-Type": "application/x-ndjson" };
    const lines = await scene.push(feedId, rows.join("\n"), { headers });
    expect(lines.body.errors.map(({ path }: { path: string }) => path)).toEqual(inside);
    const many = await scene.push(feedId, `[{"id":1,"a":[${Array(50).fill("1e999")}]}]`);
    expect([many.body.errors.length, many.body.error_count]).toEqual([20, 50]);
  });
  test("100 levels of nesting of a row or document pass and 101 are refused, wrapped or not", async () => {
    const nested = (levels: number) => `${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}`;
    const row = (levels: number) => `{"id":1,"a":${nested(levels)}}`;
    const inside = "/0".repeat(99);
    const forms: [(text: string) => string, string][] = [
      [(text) => text, ""],
      [(text) => `[${text}]`, "/0"],
      [(text) => `{"payload":${text}}`, "/payload"],
      [(text) => `{"payload":[${text}]}`, "/payload/0"],
    ];
    for (const type of ["collection", "stream"] as const) {
      const feedId = await scene.createFeed({ type });
      for (const [form, base] of forms) {
        expect((await scene.push(feedId, form(row(100)))).status).toBe(200);
        expect(await pathsOf(feedId, form(row(101)))).toEqual([`${base}/a${inside}`]);
        const deeper = await scene.push(feedId, form(row(150)));
        expect(deeper.body.errors[0].message).toContain("100 levels");
      }
    }
    const feedId = await scene.createFeed({ type: "singleton" });
    expect((await scene.push(feedId, row(100))).status).toBe(200);
    expect(await pathsOf(feedId, row(101))).toEqual([`/a${inside}`]);
  });
  test("a 422 lists 20 mistakes and counts all", async () => {
    const feedId = await large.createFeed({ type: "stream" });
    const rows = Array.from({ length: 30 }, () => ({ event_timestamp: "now" }));
    const answer = await large.push(feedId, rows);
    expect(answer.body.errors.length).toBe(20);
    expect(answer.body.error_count).toBe(60);
  });
});

describe("the locked schema", () => {
  const schema = {
    type: "object",
    required: ["id", "price"],
    properties: { price: { type: "number", minimum: 0 } },
  };
  test("rows that don't meet the locked schema are 422 with paths into the body, in each form", async () => {
    for (const type of ["collection", "stream"] as const) {
      const feedId = await scene.createFeed({ type, schema });
      const good = { id: 1, price: 1 };
      expect((await scene.push(feedId, [good])).status).toBe(200);
      const bad = { id: 2, price: -1 };
      const cases: [unknown, string, Record<string, string>?][] = [
        [{ payload: [good, bad] }, "/payload/1/price"],
        [{ payload: bad }, "/payload/price"],
        [[good, bad], "/1/price"],
        [bad, "/price"],
        [`${JSON.stringify(good)}\n\n${JSON.stringify(bad)}`, "/2/price", NDJSON],
      ];
      for (const [body, path, headers = {}] of cases) {
        const answer = await scene.push(feedId, body, { headers });
        expect([answer.status, answer.body.code]).toEqual([422, "VALIDATION_FAILED"]);
        expect(answer.body.errors.map((error: { path: string }) => error.path)).toEqual([path]);
        expectRateHeaders(answer.headers);
      }
      expect((await scene.feed(feedId)).next_position).toBe(2n);
    }
    const singleton = await scene.createFeed({ type: "singleton", schema });
    const answer = await scene.push(singleton, { payload: { id: 1, price: "1" } });
    expect(answer.body.errors).toMatchObject([{ path: "/payload/price" }]);
  });
  test("an empty batch meets any locked schema", async () => {
    const feedId = await scene.createFeed({ type: "collection", schema });
    const answer = await scene.push(feedId, { payload: [], batch_id: "a", batch_complete: true });
    expect([answer.status, answer.body.rows_received]).toEqual([200, 0]);
  });
  test("the time of receipt is not a part of what the locked schema checks", async () => {
    const closed = { ...schema, additionalProperties: false, properties: { id: {}, price: {} } };
    const feedId = await scene.createFeed({ type: "stream", schema: closed });
    expect((await scene.push(feedId, { id: 1, price: 1 })).status).toBe(200);
    const asking = { ...schema, required: ["event_timestamp"] };
    const strict = await scene.createFeed({ type: "stream", schema: asking });
    expect((await scene.push(strict, { id: 1, price: 1 })).status).toBe(422);
  });
  test("an edited locked schema holds from the next push on", async () => {
    const feedId = await scene.createFeed({ type: "collection", schema });
    expect((await scene.push(feedId, [{ id: 1 }])).status).toBe(422);
    await scene.gateway.sql`
      update feeds
      set schema_definition = '{"required":["name"]}', definition_version = definition_version + 1
      where feed_id = ${feedId}`;
    expect((await scene.push(feedId, [{ id: 1, name: "a" }])).status).toBe(200);
    expect((await scene.push(feedId, [{ id: 1, price: 1 }])).status).toBe(422);
  });
  test("rows whose schema check takes too many steps are 422, and not stored", async () => {
    const feedId = await scene.createFeed({ type: "collection", schema: { type: "object" } });
    const { rowSchemas } = scene.gateway.gateway.services;
    const { validateRows } = rowSchemas;
    const detail = "validating these rows takes too many steps";
    Object.assign(rowSchemas, { validateRows: async () => ({ kind: "over_budget", detail }) });
    const answer = await scene.push(feedId, [{ id: 1 }]);
    Object.assign(rowSchemas, { validateRows });
    expect([answer.status, answer.body.code]).toEqual([422, "VALIDATION_FAILED"]);
    expect(answer.body.errors).toEqual([{ path: "", message: detail }]);
    expect(await scene.shown(feedId)).toEqual([]);
  });
  test("rows that can't be checked by their schema now are 503, and not stored", async () => {
    const feedId = await scene.createFeed({ type: "collection", schema: { type: "object" } });
    const { rowSchemas } = scene.gateway.gateway.services;
    const { validateRows } = rowSchemas;
    Object.assign(rowSchemas, { validateRows: async () => ({ kind: "busy" }) });
    const answer = await scene.push(feedId, [{ id: 1 }]);
    Object.assign(rowSchemas, { validateRows });
    expect([answer.status, answer.body.code]).toEqual([503, "UNAVAILABLE"]);
    expect(await scene.shown(feedId)).toEqual([]);
  });
  test("a push to a feed whose locked schema can't be used is 422 SCHEMA_INVALID", async () => {
    const feedId = await scene.createFeed({ type: "collection", schema: { type: "nonsense" } });
    const answer = await scene.push(feedId, [{ id: 1 }]);
    expect([answer.status, answer.body.code]).toEqual([422, "SCHEMA_INVALID"]);
  });
});

describe("429", () => {
  let limited: PushScene;
  beforeAll(async () => {
    limited = await startPushScene({ FEEDGATE_PUSH_LIMIT: "4" });
  });
  afterAll(() => limited.gateway.stop());

  test("the window of pushes counts refused ones and dry runs, but not its 429s, nor other feeds'", async () => {
    const feedId = await limited.createFeed({ type: "collection" });
    const remaining = [];
    for (const [body, query] of [
      [[{ id: 1 }], ""],
      [[{}], ""],
      [[{ id: 2 }], "?dry_run=true"],
      ["[", ""],
    ] as const) {
      const answer = await limited.push(feedId, body, { query });
      expect(answer.headers.get("x-ratelimit-limit")).toBe("4");
      remaining.push(answer.headers.get("x-ratelimit-remaining"));
    }
    expect(remaining).toEqual(["3", "2", "1", "0"]);
    for (let count = 0; count < 3; count++) {
      const refused = await limited.push(feedId, [{ id: 3 }]);
      expect([refused.status, refused.body.code]).toEqual([429, "RATE_LIMITED"]);
      expect(refused.body.retry_after_ms).toBeGreaterThan(50_000);
      expect(refused.body.retry_after_ms).toBeLessThanOrEqual(60_000);
      expect(Number(refused.headers.get("retry-after"))).toBe(
        Math.ceil(refused.body.retry_after_ms / 1_000),
      );
      expect(refused.headers.get("x-ratelimit-remaining")).toBe("0");
    }
    // The three that were counted, and one row for all that were refused by rate in a minute, which may end meanwhile.
    const codes = (await limited.history(feedId)).map(({ code }) => code);
    expect(codes.slice(0, 4)).toEqual([null, "VALIDATION_FAILED", "BODY_NOT_JSON", "RATE_LIMITED"]);
    expect(codes.length).toBeLessThanOrEqual(5);
    // A window is one feed's.
    expect((await limited.push(await limited.createFeed(), [])).status).toBe(200);
    // A minute later there is room: asked through another process, since this one believes for a second that there is none.
    await limited.gateway.sql`
      update push_windows set hits = array(select hit - 60000001 from unnest(hits) as hit)`;
    const peer = await limited.gateway.startPeer();
    const later = await fetch(`${peer.baseUrl}/v1/provider/feed/${feedId}/push`, {
      method: "POST",
      headers: { Authorization: `Bearer ${limited.key}`, "Content-Type": "application/json" },
      body: JSON.stringify([{ id: 3 }]),
    });
    expect(later.status).toBe(200);
  });
  test("retry_after_ms is until the oldest push leaves, also after a clock that went back", async () => {
    const { sql } = limited.gateway;
    const feedId = await limited.createFeed({ type: "singleton" });
    for (const a of [1, 2, 3]) await limited.push(feedId, { a });
    await sql`
      update push_windows set hits = array[hits[1] - 50000000, hits[2], hits[3] + 5000000]
      where feed_id = ${feedId}`;
    expect((await limited.push(feedId, { a: 4 })).status).toBe(200);
    const refused = await limited.push(feedId, { a: 5 });
    expect(refused.status).toBe(429);
    expect(refused.body.retry_after_ms).toBeLessThanOrEqual(10_000);
    const rows = await sql`
      select hits[3] = hits[4] as is_ordered from push_windows where feed_id = ${feedId}`;
    expect(rows).toMatchObject([{ is_ordered: true }]);
  });
});

test("a fault of ours is 500 and counts as a push; a database out of reach is 503 and does not", async () => {
  const lost = await startPushScene();
  const feedId = await lost.createFeed({ type: "singleton" });
  const first = await lost.push(feedId, { a: 1 });
  expect(first.status).toBe(200);
  const remaining = Number(first.headers.get("x-ratelimit-remaining"));
  await lost.gateway.sql.unsafe("alter table documents rename to documents_away");
  const failed = await lost.push(feedId, { a: 2 });
  expect([failed.status, failed.body.code]).toEqual([500, "INTERNAL"]);
  expectRateHeaders(failed.headers);
  expect(failed.headers.get("x-ratelimit-remaining")).toBe(String(remaining - 1));
  expect(JSON.stringify(failed.body)).not.toContain("documents");
  await lost.gateway.sql.unsafe("alter table documents_away rename to documents");
  // A lock that outlasts the statement's time is the database out of reach.
  const held = await lost.gateway.sql.reserve();
  await held`begin`;
  await held`select from feeds where feed_id = ${feedId} for update`;
  const unavailable = await cancelLockWaiters(lost.gateway.sql, lost.push(feedId, { a: 3 }));
  expect([unavailable.status, unavailable.body.code]).toEqual([503, "UNAVAILABLE"]);
  expect(unavailable.headers.get("retry-after")).toBe("1");
  await held`rollback`;
  held.release();
  // It was rolled back with its count.
  const again = await lost.push(feedId, { a: 4 });
  expect(again.status).toBe(200);
  expect(again.headers.get("x-ratelimit-remaining")).toBe(String(remaining - 2));
  await lost.gateway.stop();
});
