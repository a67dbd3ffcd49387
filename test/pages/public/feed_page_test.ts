import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  JSON_DEPTH_MAX,
  PUBLIC_PAGE_LOOK_MS,
  SITE_ROWS_BYTES_MAX,
  SITE_ROWS_SHOWN,
} from "../../../src/limits.ts";
import edgeRows from "../../fixtures/edge-rows.json";
import hostileStrings from "../../fixtures/hostile-strings.json";
import { shareTestGateway, type TestGateway } from "../../support/gateway.ts";
import { type Seed, type SeededFeed, seedFeed } from "../../support/seed.ts";

let gateway: TestGateway;
let owner: string;

beforeAll(async () => {
  gateway = await shareTestGateway();
  owner = await gateway.createAccount();
});
afterAll(() => gateway.stop());

function seed(type: Seed["type"], more: Partial<Seed>): Promise<SeededFeed> {
  return seedFeed(gateway, owner, { type, isPublic: true, ...more });
}

async function pageOf({ slug }: SeededFeed): Promise<string> {
  const response = await gateway.get(`/feeds/${slug}`, undefined, { Accept: "text/html" });
  expect(response.status).toBe(200);
  return response.text();
}

const eventsOf = (count: number, year = new Date().getUTCFullYear()) =>
  Array.from({ length: count }, (_, place) => ({
    id: `e${place}`,
    event_timestamp: new Date(Date.UTC(year, 0, 1, 0, place)).toISOString(),
    usd: place / 4,
    deep: { a: [1, 2] },
  }));

describe("rows of a free feed", () => {
  test("of a stream, the newest 50 are a table, newest first, with a chart of its numbers", async () => {
    const page = await pageOf(await seed("stream", { rows: eventsOf(60) }));
    expect(page).toContain(`The newest ${SITE_ROWS_SHOWN} of 60 events.`);
    expect(page.indexOf("<td>e59</td>")).toBeLessThan(page.indexOf("<td>e10</td>"));
    expect(page).not.toContain("<td>e9</td>");
    expect(page).toContain('<td class="num">14.75</td>');
    expect(page).toContain("<td><code>{&quot;a&quot;:[1,2]}</code></td>");
    expect(page).toMatch(/<figure class="chart" data-rows="rows" data-time="0" hidden.*?>/);
    expect(page).toContain('<option value="2">usd</option>');
    expect(page).not.toContain('">id</option>');
  });

  test("of a collection, the first rows of its current batch, in the order of a read", async () => {
    const rows = Array.from({ length: 3 }, (_, id) => ({ id, name: `row ${id}` }));
    const page = await pageOf(await seed("collection", { rows }));
    expect(page).toContain("All 3 rows.");
    expect(page.indexOf("row 0")).toBeLessThan(page.indexOf("row 2"));
    expect(page).not.toContain("data-rows");
  });

  test("of a singleton, the document, cut if it is large", async () => {
    const small = await pageOf(await seed("singleton", { texts: ['{"a":{"b":1.50}}'] }));
    expect(small).toContain("&quot;b&quot;: 1.50");
    const texts = [JSON.stringify({ list: Array.from({ length: 50_000 }, () => "some text") })];
    const large = await pageOf(await seed("singleton", { texts }));
    expect(large).toContain("Truncated. Read the feed for the rest.");
    expect(large.length).toBeLessThan(60_000);
  });

  test("are at most 100 KB, and one that is larger is not shown", async () => {
    const row = (id: number, bytes: number) => ({ id, text: "x".repeat(bytes) });
    const rows = [row(1, 40_000), row(2, 40_000), row(3, 40_000)];
    const page = await pageOf(await seed("collection", { rows }));
    expect(page).toContain("The first 2 of 3 rows.");
    expect(page).toContain("Long values are cut after 200 characters.");
    const large = await pageOf(await seed("collection", { rows: [row(1, SITE_ROWS_BYTES_MAX)] }));
    expect(large).toContain("The rows are too large to show here.");
  });

  test("without rows, the page says so", async () => {
    expect(await pageOf(await seed("collection", {}))).toContain("This feed has no rows yet.");
  });

  test("a field beyond the twelfth is named instead", async () => {
    const row = Object.fromEntries(Array.from({ length: 30 }, (_, place) => [`f${place}`, place]));
    const page = await pageOf(await seed("collection", { rows: [{ id: 1, ...row }] }));
    expect(page).toContain("19 more fields not shown:");
    expect(page).toContain("<code>f22</code>");
    expect(page).toContain(" and 7 others");
  });

  test("events that are too old to be read are not shown", async () => {
    const stream = await seed("stream", { rows: eventsOf(3, 2018) });
    await gateway.sql`update feeds set retention_days = 30 where feed_id = ${stream.feedId}`;
    expect(await pageOf(stream)).not.toContain("<td>e2</td>");
  });

  test("awkward and hostile rows are escaped: no element and no attribute is theirs", async () => {
    const texts = edgeRows
      .filter(({ pg_jsonb: stored, kind }) => stored === "ok" && kind !== "depth")
      .map(({ row }) => row);
    const deep = `{"a":${"[".repeat(JSON_DEPTH_MAX - 1)}${"]".repeat(JSON_DEPTH_MAX - 1)}}`;
    const hostile = hostileStrings.map(({ text }) => JSON.stringify({ text, [text]: { text } }));
    const all = [deep, ...texts, ...hostile].filter(
      (row) => row.startsWith("{") && !row.includes("\\u0000"),
    );
    const plain = await marksOf(await pageOf(await seed("collection", { rows: [{ id: 1 }] })));
    for (let first = 0; first < all.length; first += SITE_ROWS_SHOWN) {
      const rows = all.slice(first, first + SITE_ROWS_SHOWN);
      const page = await pageOf(await seed("collection", { texts: rows.map(withOwnId) }));
      const marks = await marksOf(page);
      expect([...marks].filter((mark) => !plain.has(mark) && !USUAL.has(mark))).toEqual([]);
      expect(page).not.toMatch(/[\u202e\u200b\ufeff]/);
    }
  });

  const USUAL = new Set(["td class", "code", "a", "a href"]);

  /** Elements, and attributes with their elements. */
  async function marksOf(page: string): Promise<Set<string>> {
    const marks = new Set<string>();
    const rewriter = new HTMLRewriter().on("*", {
      element({ tagName, attributes }) {
        marks.add(tagName);
        for (const [name] of attributes) marks.add(`${tagName} ${name}`);
      },
    });
    await rewriter.transform(new Response(page)).text();
    return marks;
  }

  function withOwnId(row: string, place: number): string {
    const members = row.trim().slice(1, -1);
    return `{${members}${members.trim() === "" ? "" : ","}"id":"own-${place}"}`;
  }
});

describe("a page in memory", () => {
  test("is made anew when the data or the definition moves", async () => {
    const feed = await seed("collection", { rows: [{ id: "old" }] });
    const changed = async (changes: () => Promise<unknown>) => {
      await changes();
      await Bun.sleep(PUBLIC_PAGE_LOOK_MS + 50);
      return pageOf(feed);
    };
    expect(await pageOf(feed)).toContain("<td>old</td>");
    const same = await changed(
      () => gateway.sql`
        update collection_rows set payload = '{"id":"new"}' where feed_id = ${feed.feedId}`,
    );
    expect(same).toContain("<td>old</td>");
    const moved = await changed(
      () => gateway.sql`
        update feeds set data_version = data_version + 1 where feed_id = ${feed.feedId}`,
    );
    expect(moved).toContain("<td>new</td>");
    const renamed = await changed(
      () => gateway.sql`
        update feeds set name = 'Renamed', definition_version = definition_version + 1
        where feed_id = ${feed.feedId}`,
    );
    expect(renamed).toContain("<h1>Renamed</h1>");
  });

  test("is gone when the feed is taken off the list", async () => {
    const feed = await seed("collection", { rows: [{ id: "row" }] });
    await pageOf(feed);
    await gateway.sql`update feeds set is_public = false where feed_id = ${feed.feedId}`;
    await Bun.sleep(PUBLIC_PAGE_LOOK_MS + 50);
    const response = await gateway.get(`/feeds/${feed.slug}`, undefined, { Accept: "text/html" });
    expect(response.status).toBe(404);
  });

  test("charges and logs nobody", async () => {
    const logged = async () =>
      (await gateway.sql`select count(*)::int as events from usage_events`)[0]?.events;
    const before = await logged();
    await pageOf(await seed("stream", { rows: eventsOf(3) }));
    expect(await logged()).toBe(before);
  });
});

describe("a paid feed", () => {
  test("shows its sample and none of its rows", async () => {
    const rows = [{ id: "secret", event_timestamp: "2018-01-01T00:00:00Z" }];
    const paid = await seed("stream", { rows, callPriceNanos: 2_000 });
    await gateway.sql`
      update feeds set sample_response = '[{"id":"example","big":12345678901234567890}]'::json
      where feed_id = ${paid.feedId}`;
    const page = await pageOf(paid);
    expect(page).not.toContain("secret");
    expect(page).toContain("<td>example</td>");
    expect(page).toContain('<td class="num">12345678901234567890</td>');
    expect(page).toContain("&quot;id&quot;: &quot;example&quot;");
    expect(page).toContain("0.002 USD per 1,000 calls");
    expect(page).toContain("0.000002 USD");
    expect(page).toContain("8,760 reads");
    expect(page).toContain("0.01752 USD");
  });
});

describe("freshness", () => {
  test("a push today of old events is no fresh data", async () => {
    const old = await pageOf(await seed("stream", { rows: eventsOf(3, 2018) }));
    expect(old).toContain("Historical data: the newest event is from");
    expect(old).toContain('<dt>Newest event</dt><dd><time datetime="2018-01-01T00:02:00');
    const now = { id: 1, event_timestamp: new Date().toISOString() };
    const fresh = await pageOf(await seed("stream", { rows: [now] }));
    expect(fresh).not.toMatch(/Historical data|No recent data/);
  });
});
