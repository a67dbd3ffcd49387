import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { arrayLiteral } from "../../../src/postgres/client/array_literal.ts";
import hostileStrings from "../../fixtures/hostile-strings.json" with { type: "json" };
import { startTestGateway, type TestGateway } from "../../support/gateway.ts";
import { createAdmin, dangersIn, signIn, type Visitor } from "./support.ts";

/** PostgreSQL takes no NUL, and a name has something to be seen. */
const TEXTS = [
  ...new Set(hostileStrings.map(({ text }) => text.replaceAll("\0", "").trim())),
].filter((text) => text !== "");
/** In one feed's description, readme, fields and sample. */
const TEXTS_A_FEED = 20;
const NAME_LENGTH = 200;
const CATEGORY_LENGTH = 100;

let gateway: TestGateway;
let operator: Visitor;
let provider: Visitor;
let consumer: Visitor;
/** Those that have something in every field. */
let full: readonly { readonly id: string; readonly slug: string }[];

beforeAll(async () => {
  gateway = await startTestGateway();
  operator = await signIn(gateway.baseUrl, await createAdmin(gateway));
  const owner = await gateway.createAccount({ name: "Provider" });
  provider = await signIn(gateway.baseUrl, await gateway.createKey(owner, "write"));
  const reader = await gateway.createAccount({ name: "Consumer" });
  consumer = await signIn(gateway.baseUrl, await gateway.createKey(reader, "read"));
  const cut = (text: string, length: number) => [...text].slice(0, length).join("");
  const names = arrayLiteral(TEXTS.map((text) => cut(text, NAME_LENGTH)));
  const categories = arrayLiteral(TEXTS.map((text) => cut(text, CATEGORY_LENGTH)));
  await gateway.sql`
    insert into feeds (
      account_id, name, description, category, update_frequency_text, endpoint_path, feed_type,
      status, first_pushed_at, last_sync_at, is_public, published_at, call_price_nanos
    )
    select ${owner}, name, name, category, category, 'hostile-' || place, 'collection', 'active',
      now(), now(), true, now(), 0
    from unnest(${names}::text[], ${categories}::text[]) with ordinality as texts (name, category, place)`;
  await gateway.sql`
    insert into accounts (name, max_feeds_allowed) select unnest(${names}::text[]), 1`;
  const feeds = await gateway.sql`
    select feed_id as id, endpoint_path as slug from feeds order by endpoint_path limit ${Math.ceil(TEXTS.length / TEXTS_A_FEED)}`;
  full = feeds as unknown as typeof full;
  for (const [place, { id }] of full.entries()) {
    const texts = TEXTS.slice(place * TEXTS_A_FEED, (place + 1) * TEXTS_A_FEED);
    const described = texts.map((text) => [text, { type: "string", description: text }]);
    // Where no validator looks, a schema may hold anything.
    const odd = ["n", { type: { a: 1 }, description: JSON.rawJSON("1e2") }];
    const properties = Object.fromEntries([...described, odd]);
    const sample = Object.fromEntries(texts.map((text) => [text, text]));
    await gateway.sql`
      update feeds
      set description = ${texts.join("\n").slice(0, 2_000)}, readme_md = ${texts.join("\n\n")},
        schema_definition = ${JSON.stringify({ type: "object", properties })}::json,
        sample_response = ${JSON.stringify(sample)}::json
      where feed_id = ${id}`;
    await gateway.sql`
      insert into pushes (feed_id, pushed_at, stored, code, detail, rows_received, rows_inserted,
        rows_updated, rows_duplicate, body_bytes, duration_ms)
      select ${id}, now(), false, 'VALIDATION_FAILED', text, 1, 0, 0, 0, 10, 1
      from unnest(${arrayLiteral(texts)}::text[]) as text`;
  }
});
afterAll(() => gateway.stop());

async function look(who: Visitor | undefined, path: string): Promise<string> {
  const answer = await (who === undefined
    ? fetch(gateway.baseUrl + path, { headers: { Accept: "text/html" } })
    : who.get(path));
  const html = await answer.text();
  expect([path, answer.status]).toEqual([path, 200]);
  expect([path, dangersIn(html)]).toEqual([path, []]);
  // Each page has its own parts once, wherever a text would have ended them.
  expect([path, html.match(/<\/(?:title|main|body|html)>/g)]).toEqual([
    path,
    ["</title>", "</main>", "</body>", "</html>"],
  ]);
  return html;
}

/** Looks at a list page by page. Returns how many pages there were. */
async function turn(who: Visitor | undefined, path: string): Promise<number> {
  const next =
    /<a[^>]* href="(?:\.\/)?(\?[^"]*(?:cursor|offset)=[^"]*)"[^>]*>(?:Next page|More feeds)</;
  let pages = 0;
  for (let query: string | undefined = ""; query !== undefined; ) {
    const html = await look(who, `${path}${query}`);
    query = next.exec(html)?.[1]?.replaceAll("&amp;", "&");
    pages += 1;
  }
  return pages;
}

describe("hostile texts", () => {
  test("as names in every list, they stay texts", async () => {
    const enough = Math.floor(TEXTS.length / 100);
    expect(await turn(operator, "/feeds")).toBeGreaterThanOrEqual(enough);
    expect(await turn(operator, "/accounts")).toBeGreaterThanOrEqual(enough);
    expect(await turn(provider, "")).toBeGreaterThanOrEqual(enough);
    expect(await turn(consumer, "/catalog")).toBeGreaterThanOrEqual(enough);
    expect(await turn(undefined, "/")).toBeGreaterThanOrEqual(enough);
  });

  test("in every field of a feed, on every page of it, they stay texts", async () => {
    for (const { id, slug } of full) {
      await look(undefined, `/feeds/${slug}`);
      await look(undefined, `/billing?feed_id=${id}`);
      await look(operator, `/feeds/${id}`);
      await look(provider, `/feeds/${id}`);
      await look(provider, `/feeds/${id}/edit`);
      await look(consumer, `/catalog/${id}`);
    }
  });

  test("a NUL in the query is left out", async () => {
    for (const path of ["/find?q=%00", "/feeds?q=%00", "/accounts?q=a%00", "/audit?q=%00"]) {
      expect([path, (await operator.get(path)).status]).toEqual([path, 200]);
    }
    expect((await operator.get("/accounts?cursor=%00")).status).toBeLessThan(500);
  });

  test("as words that are looked for, they stay texts", async () => {
    for (const text of TEXTS.slice(0, 60)) {
      await look(undefined, `/?${new URLSearchParams({ q: text.slice(0, 150) })}`);
    }
  });
});
