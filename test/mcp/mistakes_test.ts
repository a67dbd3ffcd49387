import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { type SeededFeed, seedFeed } from "../support/seed.ts";
import { callTool, TOOL_HEADERS, toolMessage } from "../support/tools.ts";

let gateway: TestGateway;
let reader: string;
let key: string;
let stream: SeededFeed;
let sold: SeededFeed;

const rows = [1, 2, 3].map((place) => ({
  id: String(place),
  event_timestamp: `2026-01-0${place}T00:00:00Z`,
  metal: "gold",
  price: place + 0.5,
}));

beforeAll(async () => {
  gateway = await startTestGateway({ FEEDGATE_READ_LIMIT_FREE: "1000" });
  const provider = await gateway.createAccount();
  reader = await gateway.createAccount({ credits: 100 });
  key = await gateway.createKey(reader, "read");
  const seed = { isPublic: true, rows } as const;
  stream = await seedFeed(gateway, provider, { ...seed, type: "stream", callPriceNanos: 1_500 });
  sold = await seedFeed(gateway, provider, {
    ...seed,
    type: "collection",
    oneTimePriceCents: 500,
  });
  const schema = { properties: { id: {}, metal: {}, price: {}, note: {} } };
  await gateway.sql`
    update feeds set schema_definition = ${JSON.stringify(schema)}::json
    where feed_id = ${stream.feedId}`;
});
afterAll(() => gateway.stop());

function post(body: string, headers: Record<string, string | undefined> = {}): Promise<Response> {
  const all = { ...TOOL_HEADERS, "x-api-key": key, ...headers };
  const sent = Object.entries(all).filter(
    (each): each is [string, string] => each[1] !== undefined,
  );
  return fetch(`${gateway.baseUrl}/mcp`, { method: "POST", headers: sent, body });
}

async function charges(): Promise<number> {
  const [row] = await gateway.sql`
    select count(*)::int as count from usage_events where account_id = ${reader}`;
  return row?.count;
}

const LIST = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';

describe("what a client says of itself", () => {
  test("any type of answer is taken for both, for plain calls and for all others", async () => {
    for (const accept of ["*/*", "text/html, */*;q=0.1", ""]) {
      for (const body of [LIST, toolMessage("get_account", {})]) {
        const answer = await post(body, { Accept: accept });
        expect([accept, body, answer.status]).toEqual([accept, body, 200]);
        expect(await answer.text()).toContain('"result":');
      }
    }
    expect((await post(LIST, { Accept: "application/json" })).status).toBe(406);
  });

  test("an id comes back digit for digit, and as what it was", async () => {
    for (const id of [
      "9007199254740993",
      "-123456789012345678901234567890",
      '"9007199254740993"',
      "7",
    ]) {
      for (const body of [LIST, toolMessage("get_account", {}), toolMessage("nope", {})]) {
        const answer = await (await post(body.replace('"id":1', `"id":${id}`))).text();
        expect(answer).toMatch(new RegExp(`"id":${id}[,}]`));
      }
    }
  });
});

describe("a mistake is answered with what there is", () => {
  test("an unknown tool with the names of the tools", async () => {
    const answer = await (await post(toolMessage("read_feeds", {}))).text();
    expect(answer).toContain(
      'There is no tool \\"read_feeds\\". Call one of search_feeds, describe_feed, read_feed,',
    );
  });

  test("an argument of another name with both names", async () => {
    for (const [given, words] of [
      [
        { feed_id: stream.slug },
        'There is no parameter "feed_id" here. Leave it out or use feed, filters,',
      ],
      [{ feeed: stream.slug }, 'There is no parameter "feeed" here. Did you mean "feed"?'],
      [{}, "feed is missing. Send it."],
    ] as const) {
      const { content } = await callTool(gateway, key, "read_feed", given);
      expect(content[0].text).toContain(words);
    }
  });

  test("a feed's name in place of its slug with the tool that finds it", async () => {
    for (const feed of ["Gold and silver prices", "gold-and-silver-prices"]) {
      const { content, isError } = await callTool(gateway, key, "describe_feed", { feed });
      expect([isError, content[0].text]).toEqual([true, expect.stringContaining("search_feeds")]);
    }
  });

  test("a purchase without max_credits with the price", async () => {
    const buy = async (feed: string, withKey = key) =>
      (await callTool(gateway, withKey, "buy_feed", { feed })).content[0].text;
    expect(await buy(sold.slug)).toBe(
      "INVALID_PARAMETER: max_credits is missing. Send it. The feed costs 5000000 credits ($5.00): ask the user, and if they agree, send max_credits 5000000.",
    );
    expect(await buy(stream.slug)).toContain("has no one-time price");
    for (const unknown of ["none", "../catalog"]) expect(await buy(unknown)).not.toContain("costs");
    expect(await buy(sold.slug, "")).not.toContain("costs");
  });

  test("fields that neither the schema nor a row has with those that rows have, uncharged", async () => {
    const before = await charges();
    const given = { feed: stream.slug, fields: ["prise", "curency"] };
    for (const [tool, more] of [
      ["read_feed", {}],
      ["read_feed", { jsonpath: "$[*]" }],
      ["get_records", { ids: ["1"] }],
      ["follow_stream", {}],
    ] as const) {
      const { content, structuredContent } = await callTool(gateway, key, tool, {
        ...given,
        ...more,
      });
      expect([tool, structuredContent.code]).toEqual([tool, "INVALID_PARAMETER"]);
      expect(content[0].text).toBe(
        'INVALID_PARAMETER: The first rows of this feed have none of the fields "prise", "curency". Did you mean price? They have id, event_timestamp, metal, price.',
      );
    }
    const picked = { ...given, jsonpath: "$[*].{usd: price}" };
    const { content } = await callTool(gateway, key, "read_feed", picked);
    expect(content[0].text).toContain("They have usd.");
    expect(await charges()).toBe(before);
  });

  test("however many fields are mistaken, others are kept", async () => {
    for (let number = 0; number < 12; number++) {
      const given = { feed: stream.slug, fields: [`prise${number}`] };
      const { structuredContent } = await callTool(gateway, key, "read_feed", given);
      expect(structuredContent.code).toBe("INVALID_PARAMETER");
    }
    const right = { feed: stream.slug, fields: ["price"] };
    expect((await callTool(gateway, key, "read_feed", right)).isError).toBeFalsy();
  });

  test("a field that only rows have which max_chars leaves out is no mistake", async () => {
    const short = Array.from({ length: 9 }, (_, id) => ({ id, a: 1 }));
    const rows = [...short, { id: 9, big: "x".repeat(45_000) }];
    const { slug } = await seedFeed(gateway, reader, { type: "collection", rows });
    const given = { feed: slug, fields: ["big"], max_chars: 40_000 };
    const { structuredContent } = await callTool(gateway, key, "read_feed", given);
    expect(structuredContent).toMatchObject({ has_more: true, fields_not_found: ["big"] });
  });

  test("fields that a schema names, or that a page before had, are no mistake", async () => {
    const noted = await callTool(gateway, key, "read_feed", {
      feed: stream.slug,
      fields: ["note"],
    });
    expect(noted.structuredContent).toMatchObject({
      rows: [{}, {}, {}],
      fields_not_found: ["note"],
    });
    const first = await callTool(gateway, key, "read_feed", { feed: stream.slug, limit: 1 });
    const next = { feed: stream.slug, cursor: first.structuredContent.next_cursor, fields: ["x"] };
    expect((await callTool(gateway, key, "read_feed", next)).isError).toBe(false);
  });

  test("every tool whose calls cost credits says how much", async () => {
    const answer = await (await post(LIST)).text();
    const { result } = JSON.parse(answer.replace(/^event: message\ndata: (.*)\n\n$/s, "$1")) as {
      result: { tools: { name: string; description: string }[] };
    };
    const priced = result.tools.filter(({ description }) =>
      description.includes("at $0.001 per 1,000 calls it is 1 credit"),
    );
    expect(priced.map(({ name }) => name)).toEqual(["read_feed", "get_records", "follow_stream"]);
  });
});
