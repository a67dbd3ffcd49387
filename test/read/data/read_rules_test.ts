import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { problemOf } from "../../support/gateway.ts";
import { type PushScene, startPushScene } from "../../support/push_scene.ts";
import { seedFeed } from "../../support/seed.ts";

let scene: PushScene;
let key: string;
let collection: string;
let stream: string;
let singleton: string;
beforeAll(async () => {
  scene = await startPushScene({ FEEDGATE_READ_LIMIT_FREE: "1000000" });
  const { gateway, accountId } = scene;
  key = await gateway.createKey(accountId, "read");
  const rows = Array.from({ length: 150 }, (_, id) => ({
    id,
    parity: id % 2 === 0 ? "even" : "odd",
    tenth: Math.floor(id / 10),
    event_timestamp: new Date(Date.UTC(2026, 0, 1) + id * 1_000).toISOString(),
  }));
  collection = (await seedFeed(gateway, accountId, { type: "collection", rows })).slug;
  stream = (await seedFeed(gateway, accountId, { type: "stream", rows })).slug;
  // Neighbours with the same ids, which nobody asks for.
  const others = rows.map((row) => ({ ...row, tenth: -1 }));
  for (const type of ["collection", "stream"] as const) {
    await seedFeed(gateway, accountId, { type, rows: others });
  }
  const document = { a: { b: 1 }, list: [{ a: 2 }, { a: { b: 3 } }] };
  singleton = (await seedFeed(gateway, accountId, { type: "singleton", rows: [document] })).slug;
});
afterAll(() => scene.gateway.stop());

const get = (path: string, headers: Record<string, string> = {}) =>
  scene.gateway.get(`/v1/feed/${path}`, key, headers);

async function read(path: string): Promise<Record<string, unknown> & { data: { id: number }[] }> {
  const response = await get(path);
  expect({ path, status: response.status }).toEqual({ path, status: 200 });
  return (await response.json()) as Record<string, unknown> & { data: { id: number }[] };
}

async function expectRefusals(cases: readonly (readonly [path: string, code: string])[]) {
  for (const [path, code] of cases) {
    expect({ path, ...(await problemOf(await get(path))) }).toMatchObject({
      path,
      status: 400,
      code,
    });
  }
}

const ids = (count: number) => Array.from({ length: count }, (_, id) => id).join(",");
const path = encodeURIComponent;

describe("decisions 6: paging", () => {
  test("limit is 20 by default and capped at 100, also in what the answer says", async () => {
    expect(await read(collection)).toMatchObject({ limit: 20, offset: 0, has_more: true });
    const capped = await read(`${collection}?limit=500`);
    expect(capped).toMatchObject({ limit: 100, has_more: true });
    expect(capped.data).toHaveLength(100);
    expect((await read(`${collection}?limit=999999999999999`)).limit).toBe(100);
    const exact = await read(`${collection}?limit=50&offset=100`);
    expect(exact).toMatchObject({ has_more: false, next_cursor: null });
  });

  test("the envelope has its members in their order", async () => {
    expect(Object.keys(await read(collection))).toEqual([
      "data",
      "limit",
      "offset",
      "has_more",
      "next_cursor",
      "_origin",
    ]);
  });

  test("limit, jsonpath and the order of filters may change along a walk, nothing else", async () => {
    const filters = "parity=eq.even&tenth=eq.3";
    const first = await read(`${collection}?${filters}&limit=2`);
    expect(first.data.map(({ id }) => id)).toEqual([30, 32]);
    const next = `tenth=eq.3&parity=eq.even&limit=7&jsonpath=${path("$[*].id")}`;
    const second = await read(`${collection}?${next}&cursor=${first.next_cursor}`);
    expect(second).toMatchObject({ data: [34, 36, 38], offset: 0, next_cursor: null });
    await expectRefusals([
      [`${collection}?parity=eq.even&cursor=${first.next_cursor}`, "CURSOR_INVALID"],
      [`${stream}?${filters}&cursor=${first.next_cursor}`, "CURSOR_INVALID"],
      [`${collection}?${filters}&cursor=${first.next_cursor}&offset=0`, "INVALID_PARAMETER"],
    ]);
  });

  test("an empty batch that was completed reads as no rows", async () => {
    const feedId = await scene.createFeed({ type: "collection" });
    await scene.push(feedId, [{ id: 1 }]);
    await scene.push(feedId, { payload: [], batch_complete: true });
    const page = await read(`${feedId}?limit=5`);
    expect(page).toMatchObject({ data: [], limit: 5, has_more: false, next_cursor: null });
  });
});

describe("decisions 6: time bounds", () => {
  const at = (second: number) => new Date(Date.UTC(2026, 0, 1) + second * 1_000).toISOString();

  test("equal bounds give the events of that moment; none is an empty page", async () => {
    const page = await read(`${stream}?start_time=${at(7)}&end_time=${at(7)}`);
    expect(page.data.map(({ id }) => id)).toEqual([7]);
    const none = await read(`${stream}?start_time=2027-01-01T00:00:00Z`);
    expect(none).toMatchObject({ data: [], has_more: false, next_cursor: null });
  });

  test("bounds, a filter and a cursor together; one moment in two spellings is one query", async () => {
    const bounds = `start_time=${at(20)}&end_time=${at(40)}&parity=eq.odd`;
    const first = await read(`${stream}?${bounds}&limit=3`);
    expect(first.data.map(({ id }) => id)).toEqual([39, 37, 35]);
    const shifted = "start_time=2026-01-01T01:00:20%2B01:00&end_time=2026-01-01t00:00:40.000z";
    const second = await read(`${stream}?${shifted}&parity=eq.odd&cursor=${first.next_cursor}`);
    expect(second.data.map(({ id }) => id)).toEqual([33, 31, 29, 27, 25, 23, 21]);
  });

  test("reads that differ in one bound only share neither a page nor a cursor", async () => {
    const bounds = [
      `start_time=${at(20)}`,
      `start_time=${at(20)}&end_time=${at(40)}`,
      `start_time=${at(20)}&end_time=${at(41)}`,
      `start_time=${at(21)}&end_time=${at(41)}`,
      `end_time=${at(41)}`,
    ];
    const spans: unknown[] = [];
    const cursors: unknown[] = [];
    for (const query of bounds) {
      const { data, next_cursor } = await read(`${stream}?${query}&limit=5`);
      cursors.push(next_cursor);
      const { data: all } = await read(`${stream}?${query}&limit=100`);
      spans.push([data[0]?.id, all[0]?.id, all.at(-1)?.id]);
    }
    expect(spans).toEqual([
      [149, 149, 50],
      [40, 40, 20],
      [41, 41, 20],
      [41, 41, 21],
      [41, 41, 0],
    ]);
    for (const [place, cursor] of cursors.entries()) {
      for (const [other, query] of bounds.entries()) {
        const response = await get(`${stream}?${query}&limit=5&cursor=${cursor}`);
        expect({ place, other, status: response.status }).toEqual({
          place,
          other,
          status: place === other ? 200 : 400,
        });
      }
    }
  });

  test("the wrong way round, or no date-time: 400", async () => {
    await expectRefusals([
      [`${stream}?start_time=${at(2)}&end_time=${at(1)}`, "INVALID_PARAMETER"],
      [`${stream}?start_time=2026-02-30T00:00:00Z`, "INVALID_PARAMETER"],
      [`${stream}?end_time=yesterday`, "INVALID_PARAMETER"],
      [`${stream}?end_time=`, "INVALID_PARAMETER"],
      [`${collection}?end_time=${at(1)}`, "INVALID_PARAMETER"],
    ]);
  });

  test("a date alone, and a time without a zone, are refused with the full form to send", async () => {
    const cases = [
      ["start_time=2026-01-02", "Send start_time=2026-01-02T00:00:00Z."],
      ["end_time=2026-01-02", "Send end_time=2026-01-02T23:59:59.999999Z."],
      ["start_time=2026-01-02T10:00:00", "Send start_time=2026-01-02T10:00:00Z."],
      ["end_time=2026-02-30", "such as 2026-01-31T00:00:00Z"],
    ] as const;
    for (const [query, detail] of cases) {
      const { body, ...problem } = await problemOf(await get(`${stream}?${query}`));
      expect(problem).toMatchObject({ status: 400, code: "INVALID_PARAMETER" });
      expect(body.detail).toContain(detail);
    }
  });
});

describe("decisions 6: ids", () => {
  test("a hundred of the longest fit into a request", async () => {
    const longest = Array.from({ length: 100 }, (_, number) => String(number).padStart(256, "x"));
    const rows = longest.map((id) => ({ id }));
    const { slug } = await seedFeed(scene.gateway, scene.accountId, {
      type: "collection",
      rows,
    });
    const { data } = await read(`${slug}?ids=${longest.join(",")}`);
    expect(data).toHaveLength(100);
  });

  test("100 on one page, of a stream too; 101 is refused", async () => {
    for (const feed of [collection, stream]) {
      const page = await read(`${feed}?ids=${ids(100)}`);
      expect(page.data.map(({ id }) => id)).toEqual(Array.from({ length: 100 }, (_, id) => id));
      expect(JSON.stringify(page.data)).not.toContain('"tenth":-1');
      expect(page).toMatchObject({ limit: 100, offset: 0, has_more: false, next_cursor: null });
    }
    await expectRefusals([
      [`${collection}?ids=${ids(101)}`, "INVALID_PARAMETER"],
      [`${collection}?ids=`, "INVALID_PARAMETER"],
      [`${collection}?ids=1&offset=0`, "INVALID_PARAMETER"],
      [`${collection}?ids=1&cursor=x`, "INVALID_PARAMETER"],
      [`${collection}?ids=1&parity=eq.odd`, "INVALID_PARAMETER"],
      [`${stream}?ids=1&start_time=2026-01-01T00:00:00Z`, "INVALID_PARAMETER"],
    ]);
  });

  test("a list whose commas are encoded is one, unless a row has that id", async () => {
    const { gateway, accountId } = scene;
    const rows = ["a", "b", "c", "a,b"].map((id) => ({ id }));
    const { slug } = await seedFeed(gateway, accountId, { type: "collection", rows });
    const found = async (query: string) => {
      const { data, limit } = await read(`${slug}?${query}`);
      return [data.map(({ id }) => String(id)), limit];
    };
    expect(await found("ids=a%2Cb")).toEqual([["a,b"], 1]);
    expect(await found("ids=c%2Ca")).toEqual([["c", "a"], 2]);
    expect(await found("ids=c%2Cnone%2Cc")).toEqual([["c"], 2]);
    // Beside another it is one id.
    expect(await found("ids=c%2Ca,b")).toEqual([["b"], 2]);
    expect(await found("ids=none%2Cneither")).toEqual([[], 2]);
    expect(await found("ids=c%2C")).toEqual([["c"], 1]);
    const many = Array.from({ length: 101 }, (_, id) => `n${id}`).join("%2C");
    await expectRefusals([[`${slug}?ids=${many}`, "INVALID_PARAMETER"]]);
  });

  test("with a projection; unknown ids alone give an empty page", async () => {
    const page = await read(`${collection}?ids=5,3&jsonpath=${path("$[*].tenth")}`);
    expect(page.data as unknown).toEqual([0, 0]);
    expect(await read(`${collection}?ids=nope,%00`)).toMatchObject({ data: [], limit: 2 });
  });
});

describe("decisions 6: filters", () => {
  test("10 at most, one field twice must meet both", async () => {
    const many = (count: number) => Array(count).fill("parity=eq.odd").join("&");
    expect((await read(`${collection}?${many(10)}&limit=1`)).data).toHaveLength(1);
    const both = await read(`${collection}?parity=eq.odd&parity=eq.even`);
    expect(both.data).toEqual([]);
    await expectRefusals([[`${collection}?${many(11)}`, "INVALID_PARAMETER"]]);
  });
});

describe("decisions 6: projection", () => {
  test("of a document: a value, null, lists and constructions", async () => {
    const cases: readonly [string, unknown][] = [
      ["$", { a: { b: 1 }, list: [{ a: 2 }, { a: { b: 3 } }] }],
      ["$.a.b", 1],
      ["$.a.none", null],
      ["$.list[-1].a.b", 3],
      ["$..b", [1, 3]],
      ["$.list[*].a", [2, { b: 3 }]],
      ["$.list[0:1]", [{ a: 2 }]],
      ["{x: $.a.b, y: list[5]}", { x: 1, y: null }],
      ["$.list[*].{v: a.b}", [{ v: null }, { v: 3 }]],
    ];
    for (const [jsonpath, data] of cases) {
      const body = await read(`${singleton}?jsonpath=${path(jsonpath)}`);
      expect([jsonpath, body.data as unknown]).toEqual([jsonpath, data]);
      expect(Object.keys(body)).toEqual(["data", "_origin"]);
    }
  });

  test("what would give more than 100,000 nodes is refused, and costs nothing", async () => {
    const { gateway, accountId } = scene;
    const deep = (depth: number): unknown => (depth === 0 ? 1 : { a: deep(depth - 1) });
    const list = Array.from({ length: 1_200 }, () => deep(90));
    const feed = await seedFeed(gateway, accountId, {
      type: "singleton",
      rows: [{ list }],
    });
    const response = await get(`${feed.slug}?jsonpath=${path("$..a")}`);
    expect(await problemOf(response)).toMatchObject({ status: 400, code: "JSONPATH_INVALID" });
    const counted = await gateway.sql`
      select count(*)::int as count from usage_events where feed_id = ${feed.feedId}`;
    expect(counted[0]?.count).toBe(0);
  });

  test("no path, a path too long, a filter and a function are refused in words of their own", async () => {
    await expectRefusals([
      [`${collection}?jsonpath=`, "JSONPATH_INVALID"],
      [`${collection}?jsonpath=${path(`$${".a".repeat(512)}`)}`, "JSONPATH_INVALID"],
      [`${collection}?jsonpath=${path("$[?@.a]")}`, "JSONPATH_FILTER_DISABLED"],
      [`${collection}?jsonpath=${path("$[?(@.a<3)]")}`, "JSONPATH_FILTER_DISABLED"],
      [`${collection}?jsonpath=${path("$.a.length()")}`, "JSONPATH_FILTER_DISABLED"],
    ]);
    await read(`${collection}?jsonpath=${path(`$[0]${".a".repeat(510)}`)}`);
  });
});

describe("decisions 6: conditional and repeated reads", () => {
  test("one tag for one query in any spelling, another for another query and another version", async () => {
    const tag = async (query: string) => (await get(`${collection}?${query}`)).headers.get("etag");
    const first = await tag("parity=eq.odd&tenth=eq.3");
    expect(await tag("tenth=eq.3&payload.parity=eq.odd&limit=020&offset=0")).toBe(first);
    expect(await tag("tenth=eq.3&parity=eq.even")).not.toBe(first);
    for (const sent of ["*", `"x",${first}`, `${first?.slice(2)}`]) {
      const again = await get(`${collection}?parity=eq.odd&tenth=eq.3`, { "If-None-Match": sent });
      expect({ sent, status: again.status }).toEqual({ sent, status: 304 });
      expect(again.headers.get("etag")).toBe(first);
      expect(again.headers.get("cache-control")).toBe("private, no-cache");
      expect(again.headers.get("vary")).toBe("Accept-Encoding");
    }
    for (const sent of [`w/${first?.slice(2)}`, `W/ ${first?.slice(2)}`, `x${first}`]) {
      const again = await get(`${collection}?parity=eq.odd&tenth=eq.3`, { "If-None-Match": sent });
      expect({ sent, status: again.status }).toEqual({ sent, status: 200 });
    }
  });

  test("an unknown parameter is refused with the nearest name", async () => {
    const problem = await problemOf(await get(`${collection}?ofset=2`));
    expect(problem.body.detail).toContain('Did you mean "offset"?');
  });

  test("a filter may be written as generated clients send it, filters[name]", async () => {
    const tag = async (query: string) => {
      const response = await get(`${collection}?${query}`);
      expect({ query, status: response.status }).toEqual({ query, status: 200 });
      return response.headers.get("etag");
    };
    const plain = await tag("parity=eq.odd&tenth=eq.3");
    expect(await tag("filters[parity]=eq.odd&filters%5Btenth%5D=eq.3")).toBe(plain);
    expect(await tag("filters[payload.parity]=eq.odd&tenth=eq.3")).toBe(plain);
    const other = await problemOf(await get(`${collection}?filters[parity]=neq.odd`));
    expect(other).toMatchObject({ status: 400, code: "OPERATOR_DISABLED" });
    const bare = await problemOf(await get(`${collection}?filters[parity]=odd`));
    expect(bare.body).toMatchObject({
      code: "INVALID_PARAMETER",
      detail: 'filters[parity] must be eq. and a value, got "odd". Write filters[parity]=eq.VALUE.',
    });
    const nested = await problemOf(await get(`${collection}?filters[a.b]=eq.odd`));
    expect(nested).toMatchObject({ status: 400, code: "OPERATOR_DISABLED" });
  });
});

describe("a parameter by which other APIs choose fields", () => {
  test("is answered with the projection that does, which works as it is written", async () => {
    const refused = await problemOf(await get(`${collection}?fields=parity,tenth,parity`));
    const { code, detail } = refused.body as { code: string; detail: string };
    expect([refused.status, code]).toEqual([400, "INVALID_PARAMETER"]);
    expect(detail).toBe(
      'There is no parameter "fields" here. To choose fields, write jsonpath=$[*].{parity: parity, tenth: tenth}, for a singleton jsonpath=$.{parity: parity, tenth: tenth}; to filter by the field, fields=eq.VALUE.',
    );
    const [, path = ""] = /write jsonpath=(.*?), for a singleton/.exec(detail) ?? [];
    const read = await get(`${collection}?limit=1&jsonpath=${encodeURIComponent(path)}`);
    expect(read.status).toBe(200);
    const { data } = (await read.json()) as { data: object[] };
    expect(data.map((row) => Object.keys(row))).toEqual([["parity", "tenth"]]);
    for (const [query, words] of [
      ["select=*", "jsonpath=$[*].{a: a, b: b}"],
      ["columns=price.usd", "jsonpath=$[*].{a: a, b: b}"],
    ] as const) {
      const { body } = await problemOf(await get(`${collection}?${query}`));
      expect(body.detail).toContain(words);
    }
    const disabled = await problemOf(await get(`${collection}?fields=gt.5`));
    expect(disabled.body.code).toBe("OPERATOR_DISABLED");
    // A feed may have a field of this name.
    const filtered = await problemOf(await get(`${collection}?fields=eq.5`));
    expect(filtered.body.detail).not.toContain("no parameter");
  });
});

describe("beyond 12: mistakes that must not look like success", () => {
  const ARRAY = "data is an array; begin with $[*]";
  const usedOf = async (feedId: string) => {
    const [row] = await scene.gateway.sql`
      select count(*)::int as count from usage_events where feed_id = ${feedId}`;
    return row?.count;
  };

  test("a jsonpath that begins with a name is refused on an array, uncharged, and taken on a document", async () => {
    const { gateway, accountId } = scene;
    const rows = [{ id: 1, price: 2, event_timestamp: "2026-01-01T00:00:00Z" }];
    for (const type of ["collection", "stream"] as const) {
      const feed = await seedFeed(gateway, accountId, { type, rows, callPriceNanos: 1_000 });
      for (const wrong of [
        "$.price",
        "$['price']",
        "$.data[*]",
        "$['id','price']",
        "$.price.{p: @}",
        "{p: price}",
        "{all: $[*].id, p: $.price}",
        "$[*].{p: $.price}",
      ]) {
        for (const query of [`limit=5&jsonpath=${path(wrong)}`, `ids=1&jsonpath=${path(wrong)}`]) {
          const problem = await problemOf(await get(`${feed.slug}?${query}`));
          expect({ query, ...problem }).toMatchObject({ query, code: "JSONPATH_INVALID" });
          expect(problem.body.detail).toContain(ARRAY);
        }
      }
      expect(await usedOf(feed.feedId)).toBe(0);
    }
    for (const right of ["$", "$..price", "$[0].id", "$.*", "$['id', 0]", "{p: $[0].id}"]) {
      await read(`${collection}?jsonpath=${path(right)}`);
    }
    expect(await read(`${singleton}?jsonpath=${path("$.a.b")}`)).toMatchObject({ data: 1 });
  });

  async function lockedFeed(schema: unknown): Promise<string> {
    const feedId = await scene.createFeed({ type: "stream", schema });
    const event_timestamp = "2026-01-01T00:00:00Z";
    const pushed = await scene.push(feedId, [{ id: 1, price: 2, "a.b": 3, event_timestamp }]);
    expect(pushed.status).toBe(200);
    return feedId;
  }
  const properties = { id: {}, price: {}, prize: {}, currency: {}, "a.b": {} };

  test("a filter by a name that a locked schema does not have is refused with the nearest names", async () => {
    for (const schema of [{ properties }, { properties, additionalProperties: false }]) {
      const open = { ...schema, properties: { ...properties, event_timestamp: {} } };
      const feedId = await lockedFeed(open);
      const problem = await problemOf(await get(`${feedId}?prixe=eq.2`));
      expect(problem).toMatchObject({ status: 400, code: "INVALID_PARAMETER" });
      expect(problem.body.detail).toContain('Did you mean "price" or "prize"?');
      const far = await problemOf(await get(`${feedId}?price=eq.2&quantity=eq.2`));
      expect(far).toMatchObject({ status: 400, code: "INVALID_PARAMETER" });
      expect(far.body.detail).toContain('no field "quantity"');
      expect(far.body.detail).toContain("price, prize, currency");
      expect(await usedOf(feedId)).toBe(0);
      for (const taken of ["price=eq.2", "id=eq.1", "event_timestamp=eq.x", "payload.a.b=eq.3"]) {
        await read(`${feedId}?${taken}`);
      }
    }
  });

  test("a schema that leaves its names open refuses no filter, and neither does one that is not locked a name of its own", async () => {
    for (const schema of [
      {},
      { properties: {} },
      { properties, additionalProperties: true },
      { properties, additionalProperties: {} },
      { properties, patternProperties: { "^x": {} } },
      { properties, allOf: [{}] },
      { properties, anyOf: [{}] },
      { properties, oneOf: [{}] },
      { properties, $ref: "#/$defs/row", $defs: { row: {} } },
      true,
    ]) {
      expect((await read(`${await lockedFeed(schema)}?other=eq.2`)).data).toEqual([]);
    }
    const feedId = await lockedFeed({ properties });
    await scene.gateway.sql`
      update feeds
      set schema_locked = false, definition_version = definition_version + 1
      where feed_id = ${feedId}`;
    expect((await read(`${feedId}?currency=eq.2`)).data).toEqual([]);
    expect((await get(`${feedId}?other=eq.2`)).status).toBe(400);
  });
});
