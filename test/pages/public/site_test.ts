import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { PUBLIC_PAGE_LOOK_MS, SITE_FEEDS_SHOWN } from "../../../src/limits.ts";
import { startTestGateway, type TestGateway } from "../../support/gateway.ts";
import { type SeededFeed, seedFeed } from "../../support/seed.ts";

const HOSTILE = `<script>alert(1)</script>"'&\u202e`;
const README = `# Hello <b>\n\n<img src=x onerror=alert(1)>\n\n[bad](javascript:alert(1)) [good](https://example.com/a)`;

let gateway: TestGateway;
let owner: string;
let gold: SeededFeed;
let hostile: SeededFeed;
let hidden: SeededFeed;

beforeAll(async () => {
  gateway = await startTestGateway();
  owner = await gateway.createAccount();
  const seed = { type: "collection", rows: [{ id: 1 }], isPublic: true } as const;
  gold = await seedFeed(gateway, owner, { ...seed, name: "Gold prices", callPriceNanos: 1_500 });
  hostile = await seedFeed(gateway, owner, { ...seed, name: HOSTILE, oneTimePriceCents: 500 });
  hidden = await seedFeed(gateway, owner, { ...seed, name: "Hidden", isPublic: false });
  const schema = { properties: { id: { type: "integer" }, [HOSTILE]: { type: "string" } } };
  await gateway.sql`
    update feeds set description = ${HOSTILE}, readme_md = ${README}, category = 'Metals & more',
      update_frequency_text = ${HOSTILE}, schema_definition = ${JSON.stringify(schema)}::json,
      sample_response = ${`{"id":12345678901234567890,"text":${JSON.stringify(HOSTILE)}}`}::json
    where feed_id = ${hostile.feedId}`;
});
afterAll(() => gateway.stop());

const html = { Accept: "text/html" };
async function pageAt(path: string, status = 200): Promise<string> {
  const response = await gateway.get(path, undefined, html);
  expect([path, response.status]).toEqual([path, status]);
  expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(response.headers.get("set-cookie")).toBeNull();
  const policy = response.headers.get("content-security-policy");
  expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self';");
  return response.text();
}

describe("the front page", () => {
  test("lists feeds with categories and counts, and leads to their pages", async () => {
    const page = await pageAt("/");
    expect(page).toContain(`<a href="./feeds/${gold.slug}">Gold prices</a>`);
    expect(page).toContain("0.0015 USD per 1,000 calls");
    expect(page).toContain('category=Metals+%26+more"><span>Metals &amp; more</span>');
    expect(page).toContain(`${gateway.baseUrl}/mcp`);
    expect(page).not.toContain("Hidden");
    expect(page).toContain(`<link rel="canonical" href="${gateway.baseUrl}/"`);
    expect(page).toContain('<meta name="description"');
  });

  test("searches by words and by category, and keeps what was typed", async () => {
    const found = await pageAt("/?q=gold");
    expect(found).toContain("<mark>Gold</mark> prices");
    expect(found).toContain('value="gold"');
    expect(found).not.toContain(hostile.slug);
    expect(found).toContain('<meta name="robots" content="noindex"');
    const filed = await pageAt("/?category=metals%20%26%20more");
    expect(filed).toContain(hostile.slug);
    expect(filed).not.toContain("Gold prices");
    const odd = await pageAt(`/?q=${encodeURIComponent(`${HOSTILE}\0`)}`);
    expect(odd).not.toContain("<script>");
    expect(odd).toContain("&lt;script>alert(1)&lt;/script>&quot;");
    expect(await pageAt("/?q=zeppelin")).toContain("No feeds found");
    expect(await pageAt("/?q=%20")).toContain("Gold prices");
  });

  test("pages through the catalog", async () => {
    const other = await startTestGateway();
    try {
      const account = await other.createAccount();
      for (let feeds = 0; feeds <= SITE_FEEDS_SHOWN; feeds += 1) {
        await seedFeed(other, account, { type: "collection", rows: [{ id: 1 }], isPublic: true });
      }
      const first = await (await other.get("/", undefined, html)).text();
      expect(first).toContain(`rel="next" href="./?offset=${SITE_FEEDS_SHOWN}"`);
      const next = await (await other.get(`/?offset=${SITE_FEEDS_SHOWN}`, undefined, html)).text();
      expect(next.match(/<li class="card">/g)).toHaveLength(1);
      expect(next).toContain('rel="prev" href="./"');
    } finally {
      await other.stop();
    }
  });
});

describe("links to pages", () => {
  test("tags that others put on a link are ignored, and other unknown parameters refused", async () => {
    const paths = ["/", `/feeds/${gold.slug}`, "/docs", "/docs/guides/agents", "/billing"];
    for (const path of paths) {
      const statusOf = async (query: string) =>
        (await gateway.get(`${path}?${query}`, undefined, html)).status;
      expect([path, await statusOf("utm_source=chatgpt.com&fbclid=b")]).toEqual([path, 200]);
      expect([path, await statusOf("source=chatgpt.com")]).toEqual([path, 400]);
    }
    expect(await pageAt("/?q=gold&utm_source=chatgpt.com")).toContain('value="gold"');
  });
});

describe("a feed's page", () => {
  test("says what it is, what it costs, and how to read it", async () => {
    const page = await pageAt(`/feeds/${gold.slug}`);
    expect(page).toContain("<title>Gold prices · Feedgate</title>");
    expect(page).toContain(`rel="canonical" href="${gateway.baseUrl}/feeds/${gold.slug}"`);
    expect(page).toContain("0.0000015 USD");
    expect(page).toContain(`${gateway.baseUrl}/v1/feed/${gold.slug}`);
    expect(page).toContain(`../public/feeds/${gold.feedId}/agent-skill`);
    expect(page).toContain(`../billing?feed_id=${gold.feedId}`);
    expect(page.match(/<td data-value/g)).toHaveLength(30);
  });

  test("every link on it leads somewhere", async () => {
    const url = `${gateway.baseUrl}/feeds/${hostile.slug}`;
    const page = await pageAt(`/feeds/${hostile.slug}`);
    const links = [...page.matchAll(/(?:href|src)="([^"#]+)"/g)].map(
      ([, link]) => new URL((link as string).replaceAll("&amp;", "&"), url),
    );
    for (const link of links.filter(({ origin }) => origin === gateway.baseUrl)) {
      expect([link.href, (await fetch(link, { headers: html })).status]).toEqual([link.href, 200]);
    }
    expect(links.filter(({ origin }) => origin !== gateway.baseUrl).map(String)).toEqual([
      "https://example.com/a",
    ]);
  });

  test("a provider's texts are escaped, readme links are harmless, and numbers keep their digits", async () => {
    const page = await pageAt(`/feeds/${hostile.slug}`);
    expect(page).not.toContain("<script>");
    expect(page).not.toContain("<img");
    expect(page).not.toContain("javascript:");
    expect(page).not.toContain("\u202e");
    expect(page).toContain('rel="nofollow ugc noopener noreferrer">good</a>');
    expect(page).toContain("12345678901234567890");
    expect(page).toContain("Bought once for 5.00 USD");
  });

  test("an unknown, unlisted or suspended feed is a page with 404", async () => {
    await pageAt(`/feeds/${hidden.slug}`, 404);
    for (const slug of ["nothing", "..%2f", "%00", "A", "a".repeat(300)]) {
      expect(await pageAt(`/feeds/${slug}`, 404)).toContain("No such feed");
    }
    const seed = { type: "collection", rows: [{ id: 1 }], isPublic: true } as const;
    const { slug, feedId } = await seedFeed(gateway, owner, seed);
    await gateway.sql`update feeds set status = 'draft' where feed_id = ${feedId}`;
    await pageAt(`/feeds/${slug}`, 404);
  });

  test("it is made once for all visitors: no statement each", async () => {
    await pageAt(`/feeds/${gold.slug}`);
    const count = async () => {
      const text = await (await gateway.get("/metrics")).text();
      return Number(/^feedgate_database_statements_total (\d+)/m.exec(text)?.[1]);
    };
    const startedMs = performance.now();
    const before = await count();
    const VISITORS = 300;
    for (let visitor = 0; visitor < VISITORS; visitor += 1) await pageAt(`/feeds/${gold.slug}`);
    const looks = 1 + Math.ceil((performance.now() - startedMs) / PUBLIC_PAGE_LOOK_MS);
    // Jobs and probes send a few, too.
    expect((await count()) - before).toBeLessThan(looks + 30);
  });
});

test("search engines find the listed feeds", async () => {
  const robots = await (await gateway.get("/robots.txt")).text();
  expect(robots).toContain(`Sitemap: ${gateway.baseUrl}/sitemap.xml`);
  const sitemap = await gateway.get("/sitemap.xml");
  expect(sitemap.headers.get("content-type")).toBe("application/xml");
  const text = await sitemap.text();
  expect(text).toContain(`<loc>${gateway.baseUrl}/feeds/${gold.slug}</loc><lastmod>`);
  expect(text).not.toContain(hidden.slug);
});
