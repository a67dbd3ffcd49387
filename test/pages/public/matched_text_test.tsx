/** @jsxImportSource preact */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { renderToString } from "preact-render-to-string";
import {
  excerptOf,
  Marked,
  type Match,
  MatchReasons,
} from "../../../src/pages/public/matched_text.tsx";
import { startTestGateway, type TestGateway } from "../../support/gateway.ts";
import { seedFeed } from "../../support/seed.ts";

const NOTHING: Match = {
  feed_id: "f",
  name: null,
  description: null,
  category: null,
  fields: null,
  readme: null,
};
const reasons = (match: Partial<Match>) =>
  renderToString(<MatchReasons of={{ ...NOTHING, ...match }} />);

describe("Marked", () => {
  test("marks what stands between a pair of marks, and escapes all of it", () => {
    expect(renderToString(<Marked of={"a \ue000<b>\ue001 & c"} />)).toBe(
      "a <mark>&lt;b></mark> &amp; c",
    );
  });

  test("leaves out marks without their other one, and invisible characters", () => {
    expect(renderToString(<Marked of={"a\ue001 b\u202e \ue000c"} />)).toBe("a b c");
  });
});

describe("excerptOf", () => {
  const words = (count: number) =>
    Array.from({ length: count }, (_, place) => `w${place}`).join(" ");

  test("a short text stays, in one line", () => {
    expect(excerptOf("a\n  b", 20)).toBe("a b");
  });

  test("a long text begins before its first match, and cuts no word", () => {
    const excerpt = excerptOf(`${words(200)} \ue000here\ue001 ${words(200)}`, 100);
    expect(excerpt).toStartWith("… w");
    expect(excerpt).toContain("\ue000here\ue001");
    expect(excerpt).toMatch(/ w\d+ …$/);
    expect(excerpt.length).toBeLessThan(106);
  });

  test("a match at the beginning keeps the beginning; one that is cut is no match", () => {
    expect(excerptOf(`\ue000here\ue001 ${words(200)}`, 100)).toStartWith("\ue000here\ue001 w0");
    const cut = excerptOf(`${words(20)} \ue000a ${"b".repeat(90)}\ue001 ${words(9)}`, 80);
    expect(renderToString(<Marked of={cut} />)).not.toContain("mark");
  });
});

describe("MatchReasons", () => {
  test("names the places", () => {
    expect(reasons({ name: "x" })).toContain("Matches name");
    expect(reasons({ name: "x", description: "y", category: "z" })).toContain(
      "Matches name, description and category",
    );
    expect(reasons({ name: "x", fields: "usd usd eur" })).toContain(
      "Matches name and fields <code><mark>usd</mark></code>, <code><mark>eur</mark></code>",
    );
    expect(reasons({ fields: "usd" })).toContain("Matches field <code>");
  });

  test("shows the readme where only it matches, and says so if nothing does", () => {
    expect(reasons({ readme: "in \ue000it\ue001" })).toContain(
      "Matches the readme: in <mark>it</mark>",
    );
    expect(reasons({ readme: "far below" })).toContain("Matches the readme</p>");
    expect(reasons({})).toContain("Similar name");
  });

  test("more fields than one reads are not all named", () => {
    const many = Array.from({ length: 20 }, (_, place) => `field_${place}`);
    const text = reasons({ fields: many.join(" ") });
    expect(text.match(/<mark>/g)).toHaveLength(6);
    expect(text).toContain(", …");
  });
});

describe("explain_matches, on the front page", () => {
  let gateway: TestGateway;

  beforeAll(async () => {
    gateway = await startTestGateway();
    const owner = await gateway.createAccount();
    const seed = { type: "collection", rows: [{ id: 1 }], isPublic: true } as const;
    const feed = async (name: string, more: Record<string, string>) => {
      const { feedId } = await seedFeed(gateway, owner, { ...seed, name });
      await gateway.sql`
        update feeds
        set description = ${more.description ?? null}, category = ${more.category ?? null},
          readme_md = ${more.readme ?? null}, schema_definition = ${more.schema ?? null}::json
        where feed_id = ${feedId}`;
    };
    await feed("Earthquakes worldwide", {
      description: "Every earthquake of magnitude 4.5 & above.",
      category: "Seismology",
      schema: '{"properties":{"quakeMagnitude":{"type":"number"},"place":{"type":"string"}}}',
    });
    await feed("Weather", { readme: "Also says where an earthquake was felt." });
    await feed("Bureau of Labor", { description: "<b>Jobs</b>\ue000 and wages" });
  });
  afterAll(() => gateway.stop());

  async function found(q: string): Promise<string> {
    const path = `/?q=${encodeURIComponent(q)}`;
    const page = await (await gateway.get(path, undefined, { Accept: "text/html" })).text();
    return /<ul class="feeds">.*<\/ul>/s.exec(page)?.[0] ?? "";
  }

  test("words in names and descriptions are marked, whatever their ending", async () => {
    const list = await found("earthquake");
    expect(list).toContain("<mark>Earthquakes</mark> worldwide");
    expect(list).toContain("Every <mark>earthquake</mark> of magnitude 4.5 &amp; above.");
    expect(list).toContain("Matches name and description");
    expect(list).toContain(
      "Matches the readme: Also says where an <mark>earthquake</mark> was felt.",
    );
  });

  test("a word within the name of a field names the field; a category is named", async () => {
    expect(await found("magnitude")).toContain(
      "Matches description and field <code><mark>quakeMagnitude</mark></code>",
    );
    expect(await found("seismology")).toContain("Matches category");
  });

  test("a word of which one has typed the beginning is marked", async () => {
    expect(await found("earthq")).toContain("<mark>Earthquakes</mark>");
  });

  test("a stranger's text stays text", async () => {
    const list = await found("wages");
    expect(list).toContain("&lt;b>Jobs&lt;/b> and <mark>wages</mark>");
  });

  test("operators of a query, and a query of nothing but signs, find no fault", async () => {
    for (const q of [
      '"earthquakes worldwide" -weather',
      "a & b | !c:*",
      "'",
      "\\",
      "()",
      "🙂",
      "-",
      '"',
    ]) {
      const path = `/?q=${encodeURIComponent(q)}`;
      const response = await gateway.get(path, undefined, { Accept: "text/html" });
      expect([q, response.status]).toEqual([q, 200]);
      await response.body?.cancel();
    }
    expect(await found('"earthquakes worldwide"')).toContain(
      "<mark>Earthquakes</mark> <mark>worldwide</mark>",
    );
  });
});
