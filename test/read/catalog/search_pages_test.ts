import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startTestGateway, type TestGateway } from "../../support/gateway.ts";

/** More than a search finds one by one (2,000), so that words that all feeds hold are broad ones. */
const FEEDS = 2_200;
/** The same, but not listed: no search may find or count one. */
const HIDDEN = 300;
/** A word of 2,046 bytes, the longest that PostgreSQL keeps. */
const LONGEST_WORD = "ก".repeat(682);

let gateway: TestGateway;
let key: string;

beforeAll(async () => {
  gateway = await startTestGateway({ FEEDGATE_DISCOVERY_LIMIT: "100000" });
  const owner = await gateway.createAccount();
  key = await gateway.createKey(await gateway.createAccount(), "read");
  // Every feed holds "platform", every 3rd "weekly", every 5th "harbour", every 20th is named by "platform".
  await gateway.sql`
    insert into feeds (
      account_id, name, description, category, endpoint_path, feed_type, call_price_nanos, status,
      is_public, published_at, first_pushed_at
    )
    select
      ${owner},
      case when n % 20 = 0 then 'Platform room ' else 'Gauge ' end || n,
      'platform' || case when n % 3 = 0 then ' weekly' else '' end
        || case when n % 5 = 0 then ' harbour' else '' end
        || case when n = 7 then ' ' || ${LONGEST_WORD} else '' end,
      case when n % 2 = 0 then 'Ground' else 'Water' end,
      'gauge-' || n, 'collection', 0, 'active', n <= ${FEEDS},
      case when n <= ${FEEDS} then now() - n * interval '1 minute' end, now()
    from generate_series(1, ${FEEDS + HIDDEN}::int) as n`;
});
afterAll(() => gateway.stop());

interface Page {
  total: number;
  has_more: boolean;
  results: { name: string }[];
}

async function page(query: string, limit: number, offset: number): Promise<Page> {
  const path = `/v1/search?q=${encodeURIComponent(query)}&limit=${limit}&offset=${offset}`;
  const response = await gateway.get(path, key);
  expect({ path, status: response.status }).toEqual({ path, status: 200 });
  return (await response.json()) as Page;
}

/** The names on all pages; each page must have the same total, and say rightly whether more follow. */
async function walk(query: string): Promise<string[]> {
  const names: string[] = [];
  for (;;) {
    const { total, has_more: hasMore, results } = await page(query, 100, names.length);
    names.push(...results.map(({ name }) => name));
    expect({ query, total, hasMore }).toEqual({ query, total, hasMore: names.length < total });
    if (!hasMore) return names;
  }
}

const numberOf = (name: string) => Number(name.split(" ").at(-1));
/** How many feeds have a number that `step` divides. */
const every = (step: number) => Math.floor(FEEDS / step);

describe("search pages", () => {
  const cases: [query: string, total: number, why: string][] = [
    ["weekly", every(3), "more than are scored by their common words"],
    ["weekly harbour", every(3) + every(5) - every(15), "two words, some feeds holding both"],
    ["weekly platform", every(3), "found by the rarer word, the common one adds"],
    ["weekly -harbour", every(3) - every(15), "a word excluded"],
    ['"weekly harbour"', every(15), "a phrase"],
    ["platform", FEEDS, "one word that all feeds hold"],
    ["platform -weekly", FEEDS - every(3), "a common word under a condition"],
    ["platf", every(20), "a beginning of too many, sought in names"],
    ["weekly platf", every(3), "a beginning of too many, beside another word"],
    ["gaug", FEEDS - every(20), "a beginning of many names"],
    ["ground", every(2), "a category"],
    ["ground harbour", every(2) + every(5) - every(10), "a category and a word"],
    ["platform ground", every(2), "a category beside a common word"],
  ];
  test.each(cases)("%s: every feed once, %i in all (%s)", async (query, total) => {
    const names = await walk(query);
    expect({ all: names.length, distinct: new Set(names).size }).toEqual({
      all: total,
      distinct: total,
    });
    // The same order on pages of another size, across the places where the ways of finding change.
    for (const start of [0, 90, total - 20]) {
      const { results } = await page(query, 30, start);
      expect(results.map(({ name }) => name)).toEqual(names.slice(start, start + 30));
    }
  });

  test("feeds that hold all words come before those that hold some", async () => {
    const names = await walk("weekly harbour");
    const holdsBoth = names.map((name) => numberOf(name) % 15 === 0);
    expect(holdsBoth.indexOf(false)).toBe(every(15));
    expect(holdsBoth.lastIndexOf(true)).toBe(every(15) - 1);
  });

  test("feeds that a common word names come first", async () => {
    const { results } = await page("platform", 100, 0);
    expect(results).toHaveLength(100);
    expect(results.every(({ name }) => name.startsWith("Platform room"))).toBe(true);
  });

  test("a page beyond the end is empty and has the total", async () => {
    for (const query of ["weekly", "platform"]) {
      const total = query === "weekly" ? every(3) : FEEDS;
      expect(await page(query, 20, total)).toMatchObject({ total, has_more: false, results: [] });
    }
  });

  test("a word as long as PostgreSQL keeps is no error", async () => {
    expect(await page(LONGEST_WORD, 20, 0)).toMatchObject({ has_more: false });
    expect(await page(`weekly ${LONGEST_WORD}`, 20, 0)).toMatchObject({ total: every(3) });
  });
});
