import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { PROJECTIONS_REFUSED_MAX } from "../../../src/limits.ts";
import { startTestGateway, type TestGateway } from "../../support/gateway.ts";
import { seedFeed } from "../../support/seed.ts";

let gateway: TestGateway;
let provider: string;
let reader: string;
let key: string;

beforeAll(async () => {
  gateway = await startTestGateway({
    FEEDGATE_READ_LIMIT_FREE: "1000",
    FEEDGATE_READ_LIMIT_PAID: "1000",
  });
  provider = await gateway.createAccount();
  reader = await gateway.createAccount({ credits: 100 });
  key = await gateway.createKey(reader, "read");
});
afterAll(() => gateway.stop());

interface Answer {
  readonly data: readonly { id: string }[];
  readonly has_more: boolean;
  readonly next_cursor: string | null;
}

async function read(path: string, headers: Record<string, string>) {
  const response = await gateway.get(path, key, headers);
  const body = (await response.json()) as Answer & Record<string, unknown>;
  return { status: response.status, body };
}

async function logged(): Promise<number> {
  return (await gateway.sql`select from usage_events where account_id = ${reader}`).length;
}

describe("Feedgate-Max-Credits", () => {
  test("a call that costs more is 402, and neither charged nor logged", async () => {
    const { slug } = await seedFeed(gateway, provider, {
      type: "collection",
      rows: [{ id: "a" }],
      callPriceNanos: 1_500,
    });
    const before = await logged();
    for (const max of ["0", "1", "1.499"]) {
      const refused = await read(`/v1/feed/${slug}`, { "Feedgate-Max-Credits": max });
      expect(refused.status).toBe(402);
      expect(refused.body).toMatchObject({
        code: "PRICE_ABOVE_MAX",
        price: { credits: 1.5, usd: 0.0000015 },
        detail: `This call costs 1.5 credits and Feedgate-Max-Credits allows ${max}. Raise it or leave it out.`,
      });
    }
    expect(await logged()).toBe(before);
    for (const max of ["1.5", "2", "1.500", "9007199254740993"]) {
      const granted = await read(`/v1/feed/${slug}`, { "Feedgate-Max-Credits": max });
      expect(granted.status).toBe(200);
    }
    expect(await logged()).toBe(before + 4);
  });

  test("a price that was raised meanwhile counts, and a free feed is within every maximum", async () => {
    const { slug, feedId } = await seedFeed(gateway, provider, {
      type: "collection",
      rows: [{ id: "a" }],
    });
    const max = { "Feedgate-Max-Credits": "0" };
    expect((await read(`/v1/feed/${slug}`, max)).status).toBe(200);
    await gateway.sql`
      update feeds
      set price_type = 'metered', call_price_nanos = 1, definition_version = definition_version + 1
      where feed_id = ${feedId}`;
    expect((await read(`/v1/feed/${slug}`, max)).body).toMatchObject({ code: "PRICE_ABOVE_MAX" });
  });

  test("anything but a decimal with at most three places is 400", async () => {
    for (const max of ["-1", "1e3", "0.0001", "abc", ".5", "1."]) {
      const { status, body } = await read("/v1/feed/none", { "Feedgate-Max-Credits": max });
      expect([max, status, body.code]).toEqual([max, 400, "INVALID_PARAMETER"]);
    }
  });
});

describe("Feedgate-Max-Chars", () => {
  const lengths = [5, 5_000, 5, 5, 300, 5, 5, 2_000, 5, 5];
  const rows = Array.from({ length: 90 }, (_, place) => ({
    id: String(place).padStart(2, "0"),
    event_timestamp: new Date(Date.UTC(2026, 0, 1) - place * 1_000).toISOString(),
    text: "x".repeat(lengths[place % lengths.length] ?? 0),
  }));

  for (const type of ["collection", "stream"] as const) {
    test(`pages end at a row, and their cursors lead through every row once (${type})`, async () => {
      const { slug } = await seedFeed(gateway, provider, { type, rows });
      for (const charsMax of [1, 700, 6_000]) {
        const seen: string[] = [];
        let cursor: string | null = null;
        do {
          const query: string = cursor === null ? "" : `&cursor=${cursor}`;
          const { body } = await read(`/v1/feed/${slug}?limit=100${query}`, {
            "Feedgate-Max-Chars": String(charsMax),
          });
          const isShort = JSON.stringify(body.data).length <= charsMax || body.data.length === 1;
          expect([charsMax, isShort]).toEqual([charsMax, true]);
          seen.push(...body.data.map(({ id }) => id));
          cursor = body.next_cursor;
          expect(body.has_more).toBe(cursor !== null);
        } while (cursor !== null);
        expect(seen).toEqual(rows.map(({ id }) => id));
      }
    });
  }

  test("rows that jsonpath picks by their places are never others: what is too long is 400, and not logged", async () => {
    const { slug } = await seedFeed(gateway, provider, { type: "collection", rows });
    const before = await logged();
    const long = rows[1]?.text ?? "";
    for (const jsonpath of ["$[1].text", "$[-89].text", "$[0:2]", "{all: $[1:3]}"]) {
      const path = `/v1/feed/${slug}?limit=90&jsonpath=${encodeURIComponent(jsonpath)}`;
      const refused = await read(path, { "Feedgate-Max-Chars": "1000" });
      expect([jsonpath, refused.status, refused.body.code]).toEqual([
        ...[jsonpath, 400, "INVALID_PARAMETER"],
      ]);
      expect(refused.body.detail).toStartWith("The result of jsonpath has ");
      const granted = await read(path, { "Feedgate-Max-Chars": "6000" });
      expect([granted.status, JSON.stringify(granted.body.data)]).toEqual([
        ...[200, expect.stringContaining(long)],
      ]);
    }
    expect(await logged()).toBe(before + 4);
    const one = await read(`/v1/feed/${slug}?limit=1&offset=1&jsonpath=$[0].text`, {
      "Feedgate-Max-Chars": "1000",
    });
    expect([one.status, one.body.data as unknown]).toEqual([200, long]);
    const cut = await read(`/v1/feed/${slug}?limit=90&jsonpath=$[*].text`, {
      "Feedgate-Max-Chars": "1000",
    });
    expect(cut.body).toMatchObject({ data: ["xxxxx"], has_more: true });
  });

  test("projections that are longer than their caller takes count as those that grow too large", async () => {
    const { slug } = await seedFeed(gateway, provider, { type: "collection", rows });
    const impatient = await gateway.createKey(await gateway.createAccount(), "read");
    const codes: string[] = [];
    for (let count = 0; count <= PROJECTIONS_REFUSED_MAX; count += 1) {
      const path = `/v1/feed/${slug}?jsonpath=${encodeURIComponent(`$[${count}:${count + 2}]`)}`;
      const answer = await gateway.get(path, impatient, { "Feedgate-Max-Chars": "5" });
      codes.push(((await answer.json()) as { code: string }).code);
    }
    expect(codes).toEqual([
      ...Array<string>(PROJECTIONS_REFUSED_MAX).fill("INVALID_PARAMETER"),
      "RATE_LIMITED",
    ]);
  });

  test("each page is one logged read, however often it was cut", async () => {
    const { slug } = await seedFeed(gateway, provider, { type: "collection", rows });
    const before = await logged();
    await read(`/v1/feed/${slug}?limit=100`, { "Feedgate-Max-Chars": "500" });
    expect(await logged()).toBe(before + 1);
  });

  test("a shortened page has a tag of its own: 304, HEAD and Prefer: wait know it", async () => {
    const { feedId, slug } = await seedFeed(gateway, provider, { type: "collection", rows });
    const url = `${gateway.baseUrl}/v1/feed/${slug}?limit=100`;
    const asked = (charsMax: string, more: Record<string, string> = {}) => ({
      headers: { "x-api-key": key, "Feedgate-Max-Chars": charsMax, ...more },
    });
    const page = await fetch(url, asked("700"));
    const tag = page.headers.get("etag") as string;
    const before = await logged();

    const head = await fetch(url, { method: "HEAD", ...asked("700") });
    expect(head.headers.get("etag")).toBe(tag);
    expect((await fetch(url, asked("700", { "If-None-Match": tag }))).status).toBe(304);
    const waited = await fetch(url, asked("700", { "If-None-Match": tag, Prefer: "wait=1" }));
    expect([waited.status, waited.headers.get("preference-applied")]).toEqual([304, "wait=1"]);
    expect(await logged()).toBe(before);

    // Another length shows other rows, and so does none.
    for (const charsMax of ["6000", "900000"]) {
      const other = await fetch(url, asked(charsMax, { "If-None-Match": tag }));
      expect([charsMax, other.status]).toEqual([charsMax, 200]);
    }
    expect(
      (await gateway.get(`/v1/feed/${slug}?limit=100`, key, { "If-None-Match": tag })).status,
    ).toBe(200);
    await gateway.sql`
      update feeds set data_version = data_version + 1 where feed_id = ${feedId}`;
    const moved = await fetch(url, asked("700", { "If-None-Match": tag }));
    expect(moved.status).toBe(200);
    expect(moved.headers.get("etag")).not.toBe(tag);
  });

  test("a bound that is no positive integer is 400", async () => {
    for (const charsMax of ["0", "-1", "1.5", "many"]) {
      const { status, body } = await read("/v1/feed/none", { "Feedgate-Max-Chars": charsMax });
      expect([charsMax, status, body.code]).toEqual([charsMax, 400, "INVALID_PARAMETER"]);
    }
  });
});
