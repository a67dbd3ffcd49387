import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { arrayLiteral } from "../../../src/postgres/client/array_literal.ts";
import hostileStrings from "../../fixtures/hostile-strings.json";
import { problemOf, startTestGateway, type TestGateway } from "../../support/gateway.ts";
import { seedFeed } from "../../support/seed.ts";

let gateway: TestGateway;
let owner: string;
let key: string;

const FEEDS = [
  {
    name: "Earthquakes of the week",
    description: "Magnitude and place of every quake",
    category: "Earth",
  },
  {
    name: "Gold prices",
    description: "Monthly price of an ounce since 1833",
    category: "Finance & Money",
  },
  { name: "OpenLigaDB", description: "Football results of the German leagues", category: "Sports" },
  { name: "Tang poems", description: "Poems of the Tang dynasty", category: null },
];

beforeAll(async () => {
  gateway = await startTestGateway({ FEEDGATE_DISCOVERY_LIMIT: "100000" });
  owner = await gateway.createAccount();
  key = await gateway.createKey(await gateway.createAccount(), "read");
  for (const [index, feed] of FEEDS.entries()) {
    const { feedId } = await seedFeed(gateway, owner, {
      type: "collection",
      rows: [{ id: 1 }],
      isPublic: true,
      name: feed.name,
      ...(index === 1 && { callPriceNanos: 1_000 }),
    });
    await gateway.sql`
      update feeds set description = ${feed.description}, category = ${feed.category},
        published_at = now() + ${index}::int * interval '1 second',
        schema_definition = ${'{"properties":{"zeta":{},"10":{},"__proto__":{},"magnitude_scale":{}}}'}
      where feed_id = ${feedId}`;
  }
  await seedFeed(gateway, owner, { type: "stream", rows: [], name: "Unlisted earthquakes" });
});
afterAll(() => gateway.stop());

type Listed = Record<string, unknown> & { name: string };

interface Body extends Record<string, unknown> {
  feeds: Listed[];
  results: Listed[];
  instructions: string;
}

async function get(path: string) {
  const response = await gateway.get(path, key);
  expect({ path, status: response.status }).toEqual({ path, status: 200 });

  return (await response.json()) as Body;
}

const found = async (query: string) =>
  (await get(`/v1/search?${query}`)).results.map(({ name }) => name);

describe("catalog", () => {
  test("active public feeds, newest published first, with every member of the interface", async () => {
    const body = await get("/v1/catalog");
    expect(body).toMatchObject({ total: 4, total_feeds: 4, limit: 20, offset: 0, has_more: false });
    expect(body.feeds.map(({ name }) => name)).toEqual(FEEDS.map(({ name }) => name).reverse());
    expect(body.feeds[2]).toEqual({
      id: expect.any(String),
      name: "Gold prices",
      description: "Monthly price of an ounce since 1833",
      category: "Finance & Money",
      feed_type: "collection",
      consumer_type: "collection",
      endpoint_path: expect.any(String),
      pricing: "$0.001 per 1,000 calls",
      update_frequency: "every 60 minutes",
      reliability: "unrated",
      last_sync_at: expect.any(String),
      schema_hint: ["zeta", "10", "__proto__", "magnitude_scale"],
    });
    expect(body.feeds[0]).toMatchObject({ category: "uncategorized", pricing: "free" });
    expect(body._origin).toMatchObject({ credits_charged: 0, usage_id: expect.any(String) });
    expect(body.instructions).toContain(gateway.baseUrl);
  });

  test("pages: a limit over 100 is capped, has_more is exact, beyond the end is empty", async () => {
    expect(await get("/v1/catalog?limit=1000")).toMatchObject({ limit: 100 });
    expect(await get("/v1/catalog?limit=3")).toMatchObject({ has_more: true });
    expect(await get("/v1/catalog?limit=3&offset=3")).toMatchObject({ has_more: false, total: 4 });
    expect(await get("/v1/catalog?offset=999999999999999")).toMatchObject({ feeds: [], total: 4 });
  });

  test("an unchanged catalog is 304, HEAD has no body, and both are free of the window", async () => {
    const first = await gateway.get("/v1/catalog", key);
    const tag = first.headers.get("etag") as string;
    const again = await gateway.get("/v1/catalog", key, { "If-None-Match": tag });
    expect(again.status).toBe(304);
    const head = await fetch(`${gateway.baseUrl}/v1/catalog`, {
      method: "HEAD",
      headers: { "x-api-key": key },
    });
    expect([head.status, await head.text(), head.headers.get("etag")]).toEqual([200, "", tag]);
  });
});

describe("search", () => {
  test("finds by words, misspelled names, joined and cut words, and property names", async () => {
    expect(await found("q=earthquake")).toEqual(["Earthquakes of the week"]);
    expect((await found("q=gold+price"))[0]).toBe("Gold prices");
    expect(await found("q=open+liga+db")).toContain("OpenLigaDB");
    expect(await found("q=earthquaks+of+the+wek")).toContain("Earthquakes of the week");
    expect(await found("q=poe")).toContain("Tang poems");
    expect((await found("q=magnitude+scale")).length).toBeGreaterThan(0);
    expect(await found("q=nothinglikeit")).toEqual([]);
  });

  test("finds by a part of a word, and by its forms", async () => {
    const name = "Thunderstorms nearby";
    const listed = { type: "stream", rows: [], isPublic: true, name } as const;
    const { feedId } = await seedFeed(gateway, owner, listed);
    for (const part of ["storm", "storms", "storming", "Storm+nearby", "hunderst"]) {
      expect([part, await found(`q=${part}`)]).toEqual([part, [name]]);
    }
    // Too short, and nowhere.
    for (const part of ["sto", "zzstorm"]) expect(await found(`q=${part}`)).not.toContain(name);
    await gateway.sql`update feeds set is_public = false where feed_id = ${feedId}`;
  });

  test("letters that do not decompose are found as they are and as they are usually typed", async () => {
    const names = {
      "Łódź trams": ["lodz", "Łódź", "ŁÓDŹ", "łodz trams"],
      "Ærø ferries": ["aero", "ærø", "ÆRØ"],
      "Smørrebrød of the day": ["smorrebrod", "smørrebrød"],
      "Maße und Gewichte": ["masse", "maße", "MASSE"],
      "Fußgänger in GROẞEN Städten": ["fussganger", "grossen", "großen"],
      "Bœuf et cœur": ["coeur", "cœur", "boeuf"],
      "Işık şiddeti": ["isik", "ışık"],
      "Đorđe og Þór í Garði": ["dorde", "thor", "gardi", "þór"],
    };
    const feeds: string[] = [];
    for (const name of Object.keys(names)) {
      const listed = { type: "stream", rows: [], isPublic: true, name } as const;
      feeds.push((await seedFeed(gateway, owner, listed)).feedId);
    }
    for (const [name, words] of Object.entries(names)) {
      for (const word of words) {
        const [best] = await found(`q=${encodeURIComponent(word)}`);
        expect([word, best]).toEqual([word, name]);
      }
    }
    await gateway.sql`update feeds set is_public = false where feed_id = any (${arrayLiteral(feeds)}::uuid[])`;
  });

  test("a stop word is found where a name has it, before words that begin with it", async () => {
    const feeds: string[] = [];
    for (const name of ["The Who", "Doctor Who episodes", "WHO mortality", "Wholesale prices"]) {
      const listed = { type: "stream", rows: [], isPublic: true, name } as const;
      feeds.push((await seedFeed(gateway, owner, listed)).feedId);
    }
    const hits = await found("q=who");
    expect(hits.slice(0, 2).sort()).toEqual(["Doctor Who episodes", "The Who"]);
    expect(hits).toContain("WHO mortality");
    expect((await found("q=the+who"))[0]).toBe("The Who");
    await gateway.sql`update feeds set is_public = false where feed_id = any (${arrayLiteral(feeds)}::uuid[])`;
  });

  test("an empty category is refused, as an empty limit is", async () => {
    for (const query of ["category=", "limit="]) {
      const problem = await problemOf(await gateway.get(`/v1/search?q=gold&${query}`, key));
      expect({ query, ...problem }).toMatchObject({ status: 400, code: "INVALID_PARAMETER" });
    }
  });

  test("a category is matched whole and in any case; an unlisted feed is never found", async () => {
    expect(await found("q=prices&category=finance+%26+MONEY")).toEqual(["Gold prices"]);
    expect(await found("q=prices&category=finance")).toEqual([]);
    expect(await found("q=unlisted")).not.toContain("Unlisted earthquakes");
  });

  test("a feed that is hidden comes up in no search and in no list, whatever it shares with one that is listed", async () => {
    const twin = async (change: string) => {
      const { feedId, slug } = await seedFeed(gateway, owner, {
        type: "stream",
        rows: [],
        isPublic: true,
        name: "Glacier lengths",
      });
      await gateway.sql`
        update feeds
        set description = 'Retreat of alpine ice', category = 'Frozen Water',
          schema_definition = '{"properties":{"snowline":{}}}'
        where feed_id = ${feedId}`;
      await gateway.sql.unsafe(`update feeds set ${change} where feed_id = '${feedId}'`);
      return { feedId, slug };
    };
    const listed = await twin("name = name");
    const hidden: string[] = [];
    for (const change of [
      "is_public = false, published_at = null",
      "status = 'draft'",
      "status = 'inactive'",
      "suspension_reason = 'a complaint'",
      "deleted_at = now()",
    ]) {
      hidden.push((await twin(change)).slug);
    }
    const idsAt = async (path: string) => {
      const { total, results } = await get(path);
      return { path, total, ids: results.map(({ id }) => id) };
    };
    const ofCategory = "category=Frozen+Water";
    const queries = [
      "glacier",
      "glacier lengths",
      "glacier retreat alps",
      "glacier poems dynasty -tang",
      '"alpine ice"',
      "glac",
      "frozen",
      "frozen water",
      "frozen water glacier",
      "glacierlengths",
      "glacer lenghts",
      "lacier",
      "snowline",
    ];
    for (const words of queries) {
      const search = `/v1/search?q=${encodeURIComponent(words)}`;
      for (const path of [search, `${search}&${ofCategory}`]) {
        expect(await idsAt(path)).toEqual({ path, total: 1, ids: [listed.feedId] });
      }
    }
    for (const path of [`/?${ofCategory}`, "/sitemap.xml"]) {
      const page = await (await gateway.get(path, undefined, { Accept: "text/html" })).text();
      const slugs = [listed.slug, ...hidden].filter((slug) =>
        new RegExp(`/feeds/${slug}["<]`).test(page),
      );
      expect([path, slugs]).toEqual([path, [listed.slug]]);
    }
    const { feeds } = await get("/v1/catalog?limit=100");
    expect(feeds.filter(({ name }) => name === "Glacier lengths")).toHaveLength(1);
    await gateway.sql`update feeds set is_public = false where feed_id = ${listed.feedId}`;
    expect(await get("/v1/search?q=glacier&category=sports")).toMatchObject({ categories: [] });
  });

  test("a hit has every member of the interface, and the answer says what was asked", async () => {
    const body = await get("/v1/search?q=gold&limit=1");
    expect(body).toMatchObject({ query: "gold", total: 1, limit: 1, offset: 0, has_more: false });
    expect(body.results[0]).toEqual({
      id: expect.any(String),
      name: "Gold prices",
      description: "Monthly price of an ounce since 1833",
      category: "Finance & Money",
      feed_type: "collection",
      consumer_type: "collection",
      endpoint_path: expect.any(String),
      pricing: "$0.001 per 1,000 calls",
      price_type: "metered",
      price_per_1k: 0.001,
      one_time_price_cents: null,
      reliability_score: null,
      last_sync_at: expect.any(String),
      update_frequency_text: null,
    });
  });

  test("a hit that is sold once says so, where a free one says free", async () => {
    const soldOnce = { type: "stream", rows: [], isPublic: true, oneTimePriceCents: 500 } as const;
    const { feedId } = await seedFeed(gateway, owner, { ...soldOnce, name: "Aurora" });
    expect((await get("/v1/search?q=aurora")).results).toMatchObject([
      {
        id: feedId,
        pricing: "$5.00 one-time",
        price_type: "one_time",
        price_per_1k: 0,
        one_time_price_cents: 500,
      },
    ]);
    await gateway.sql`update feeds set is_public = false where feed_id = ${feedId}`;
    const [free] = (await get("/v1/search?q=earthquake")).results;
    expect(free).toMatchObject({ pricing: "free", price_type: "free", one_time_price_cents: null });
  });

  test("where the category has no hit, the categories that have are listed", async () => {
    const body = await get("/v1/search?q=prices&category=sports");
    expect(body).toMatchObject({ total: 0, results: [], categories: ["Finance & Money"] });
    expect(await get("/v1/search?q=nothing+like+it")).not.toHaveProperty("categories");
    expect(await get("/v1/search?q=prices")).not.toHaveProperty("categories");
  });

  test("q: missing, blank and too long are refused; nothing else is", async () => {
    for (const query of ["", "q=", "q=+%20", "category=x"]) {
      const problem = await problemOf(await gateway.get(`/v1/search?${query}`, key));
      expect({ query, ...problem }).toMatchObject({ status: 400, code: "QUERY_REQUIRED" });
    }
    const long = await gateway.get(`/v1/search?q=${"x".repeat(1_001)}`, key);
    expect(await problemOf(long)).toMatchObject({ status: 400, code: "INVALID_PARAMETER" });
    await get(`/v1/search?q=${"%F0%9F%A6%8A".repeat(1_000)}`);
    for (const { text } of hostileStrings as { text: string }[]) {
      if (text.trim() === "" || [...text].length > 1_000 || !text.isWellFormed()) continue;
      const each = encodeURIComponent(text);
      await get(`/v1/search?q=${each}&category=${each}`);
    }
  });
});

describe("a page that can't be read", () => {
  for (const [path, table] of [
    ["/v1/catalog", "catalog_blocks"],
    ["/v1/search?q=gold", "search_words"],
  ] as const) {
    test(`${path}: its call has no place in the window and in the log`, async () => {
      const { sql } = gateway;
      const accountId = await gateway.createAccount();
      const fresh = await gateway.createKey(accountId, "read");
      await sql.unsafe(`alter table ${table} rename to away`);
      const failed = await gateway
        .get(path, fresh)
        .finally(() => sql.unsafe(`alter table away rename to ${table}`));
      expect(failed.status).toBe(500);
      const next = await gateway.get(path, fresh);
      expect([next.status, next.headers.get("x-ratelimit-remaining")]).toEqual([200, "99999"]);
      const logged = await sql`
        select refunded from usage_events where account_id = ${accountId} order by usage_id`;
      expect(logged.map(({ refunded }) => refunded)).toEqual([false]);
    });
  }
});
