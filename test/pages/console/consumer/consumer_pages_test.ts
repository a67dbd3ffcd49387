import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startTestGateway, type TestGateway } from "../../../support/gateway.ts";
import { countSales } from "../../../support/run_job.ts";
import { seedFeed } from "../../../support/seed.ts";
import { HOSTILE } from "../scene.ts";
import { createAdmin, dangersIn, fieldsIn, signIn, type Visitor } from "../support.ts";

let gateway: TestGateway;
let account: string;
let who: Visitor;
let key: string;
/** Metered at half a millidollar, as a stream; a free document; one that is sold. */
let feeds: Readonly<Record<"stream" | "document" | "sold", string>>;

const PRICE = 500_000;
const ROWS = Array.from({ length: 30 }, (_, place) => ({
  id: `e,${place}`,
  event_timestamp: `2026-11-${String(30 - place).padStart(2, "0")}T10:00:00Z`,
  place: place % 2 === 0 ? "Tonga" : HOSTILE,
  limit: place,
}));

beforeAll(async () => {
  gateway = await startTestGateway();
  const owner = await gateway.createAccount({ name: "Provider" });
  const write = await gateway.createKey(owner, "write");
  const created = await gateway.send("POST", "/v1/provider/feed/create", write, {
    name: "Earthquakes",
    endpoint_path: "earthquakes",
    feed_type: "stream",
    price_per_1k: (PRICE / 1_000_000_000) * 1_000,
    schema_definition: {
      type: "object",
      properties: {
        id: { type: "string" },
        place: { type: "string" },
        limit: { type: "number" },
        [`x${HOSTILE}`]: { type: "string" },
      },
    },
    schema_locked: true,
  });
  const { id } = (await created.json()) as { id: string };
  await gateway.send("POST", `/v1/provider/feed/${id}/push`, write, { payload: ROWS });
  const document = { type: "singleton", rows: [{ a: 1, b: { c: HOSTILE } }] } as const;
  const sold = { type: "collection", rows: [{ id: 1 }], oneTimePriceCents: 100 } as const;
  feeds = {
    stream: id,
    document: (await seedFeed(gateway, owner, document)).feedId,
    sold: (await seedFeed(gateway, owner, sold)).feedId,
  };
  account = await gateway.createAccount({ name: "Consumer", credits: 5_000_000 });
  key = await gateway.createKey(account, "read");
  who = await signIn(gateway.baseUrl, key);
});
afterAll(() => gateway.stop());

type Fields = Readonly<Record<string, string>>;

async function balance(): Promise<number> {
  const [row] = await gateway.sql`
    select balance_nanos from accounts where account_id = ${account}`;
  return Number(row?.balance_nanos);
}

/** Sends the form of a feed's page, as it was shown, with what was typed. */
async function tryIt(feed: string, typed: Fields = {}) {
  const page = await (await who.get(`/catalog/${feed}`)).text();
  const form = page.slice(page.indexOf('<section id="try">'));
  const before = await balance();
  const fields = { ...fieldsIn(form.slice(0, form.indexOf("</form>"))), ...typed, act: "try" };
  const answer = await who.post(`/catalog/${feed}`, fields);
  const html = await answer.text();
  expect([typed, dangersIn(html)]).toEqual([typed, []]);
  return { status: answer.status, html, fields, charged: before - (await balance()) };
}

/** The rows of the answer's table, without its head. */
function rowsIn(html: string): number {
  const table = html.slice(html.indexOf('<table id="rows">'), html.indexOf("</table>"));
  return table.split("<tr>").length - 2;
}

async function html(path: string): Promise<string> {
  const answer = await who.get(path);
  const text = await answer.text();
  expect([path, answer.status, dangersIn(text)]).toEqual([path, 200, []]);
  return text;
}

test("the catalog and a search in it name each price in USD, as other pages do", async () => {
  const owner = await gateway.createAccount({ name: "Seller" });
  const listed = { type: "singleton", rows: [{ a: 1 }], isPublic: true } as const;
  await seedFeed(gateway, owner, { ...listed, name: "Metered tides", callPriceNanos: 1_500 });
  await seedFeed(gateway, owner, { ...listed, name: "Sold tides", oneTimePriceCents: 250 });
  const prices = async (query: string) => {
    const page = await (await who.get(`/catalog${query}`)).text();
    return [...page.matchAll(/[\d.]+ USD (?:per 1,000 calls|once)/g)].map(([price]) => price);
  };
  expect((await prices("")).toSorted()).toEqual(["0.0015 USD per 1,000 calls", "2.50 USD once"]);
  expect(await prices("?q=metered")).toEqual(["0.0015 USD per 1,000 calls"]);
});

describe("Try it", () => {
  test("the form has what the feed's type takes, with the names of its fields, and the price of the read", async () => {
    const stream = await html(`/catalog/${feeds.stream}`);
    expect(stream).toContain("This read costs 0.0005 USD (500 credits)");
    for (const name of ["filter_1_field", "start_time", "ids", "jsonpath", "limit"]) {
      expect(stream).toContain(`name="${name}"`);
    }
    expect(stream.match(/<option value="[^"]*"/g)?.slice(0, 4)).toEqual(
      ["id", "event_timestamp", "place", "limit"].map((name) => `<option value="${name}"`),
    );
    const document = await html(`/catalog/${feeds.document}`);
    expect(document).toContain("This read is free.");
    expect(document).toContain('name="jsonpath"');
    for (const name of ["filter_1_field", "start_time", "ids", "limit"]) {
      expect(document).not.toContain(`name="${name}"`);
    }
    const sold = await html(`/catalog/${feeds.sold}`);
    expect(sold).toContain("After you buy it, all reads are free.");
    expect(sold).not.toContain('name="jsonpath"');
  });

  test.each([
    [{}, 20],
    [{ limit: "3" }, 3],
    [{ filter_2_field: "place", filter_2_value: "Tonga", limit: "100" }, 15],
    [{ filter_1_field: "limit", filter_1_value: "7" }, 1],
    [{ start_time: "2026-11-28T10:00", end_time: "2026-11-29T10:00:00" }, 2],
    [{ ids: "e,1\ne,2\nnone" }, 2],
  ])(
    "%j returns its rows as a table, as JSON and as a request, and says what was charged",
    async (typed, rows) => {
      const { status, html, charged } = await tryIt(feeds.stream, typed);
      expect([status, charged, rowsIn(html)]).toEqual([200, PRICE, rows]);
      expect(html).toContain("0.0005 USD (500 credits)");
      expect(html).toContain("&quot;usage_id&quot;");
      expect(html).toMatch(/curl -H .*\/v1\/feed\//);
    },
  );

  test("what is no row is shown as JSON; no row says so; a document has its fields", async () => {
    const { html: picked } = await tryIt(feeds.stream, { jsonpath: "$[*].id" });
    expect(picked).toContain("no rows with fields");
    expect(picked).toContain("e,19");
    const { html: none } = await tryIt(feeds.stream, {
      filter_1_field: "place",
      filter_1_value: "none",
    });
    expect(none).toContain("No rows match the request.");
    const { html: document, charged } = await tryIt(feeds.document);
    expect([rowsIn(document), charged]).toEqual([1, 0]);
  });

  test("the next page goes on where the page ends, with the same filters", async () => {
    const typed = { filter_1_field: "place", filter_1_value: "Tonga", limit: "10" };
    const { html: first } = await tryIt(feeds.stream, typed);
    const form = first.slice(0, first.indexOf("Read the next page"));
    const next = fieldsIn(form.slice(form.lastIndexOf("<form")));
    expect(next).toMatchObject(typed);
    const { html: second, status } = await tryIt(feeds.stream, next);
    expect([status, rowsIn(second)]).toEqual([200, 5]);
    expect(second).not.toContain("Read the next page");
  });

  test.each([
    [{ limit: "many" }, "limit", "INVALID_PARAMETER"],
    [{ ids: "a", limit: "5" }, "ids", "INVALID_PARAMETER"],
    [
      {
        ids: Array(200)
          .fill(0)
          .map((_, place) => place)
          .join("\n"),
      },
      "ids",
      "INVALID_PARAMETER",
    ],
    [{ start_time: "yesterday" }, "start_time", "INVALID_PARAMETER"],
    [
      { start_time: "2026-11-29T10:00", end_time: "2026-11-28T10:00" },
      "start_time",
      "INVALID_PARAMETER",
    ],
    [{ end_time: "2026-11-31T10:00" }, "end_time", "INVALID_PARAMETER"],
    [{ jsonpath: "$[*" }, "jsonpath", "JSONPATH_INVALID"],
    [{ jsonpath: "$.price" }, "jsonpath", "JSONPATH_INVALID"],
    [{ jsonpath: "$[?(@.a)]" }, "jsonpath", "JSONPATH_FILTER_DISABLED"],
    [{ filter_1_field: "plaice", filter_1_value: "x" }, "filter_1_field", "INVALID_PARAMETER"],
    [{ filter_3_field: HOSTILE, filter_3_value: "x" }, "filter_3_field", "INVALID_PARAMETER"],
    [{ filter_2_value: "x" }, "filter_2_field", "INVALID_PARAMETER"],
  ])(
    "%j is refused at its field, with the code, and nothing is charged",
    async (typed, field, code) => {
      const { status, html, charged } = await tryIt(feeds.stream, typed);
      expect([status, charged]).toEqual([422, 0]);
      expect(html).toContain(`id="${field}-mistake">${code}: `);
      expect(html).toMatch(new RegExp(`id="${field}".* aria-invalid="true".*${field}-mistake"`));
      expect(html.match(/ id="\w+-mistake"/g)).toHaveLength(1);
      // What was typed stays.
      const fields = fieldsIn(html.slice(html.indexOf('<section id="try">')));
      expect(fields).toMatchObject(typed);
    },
  );

  test("a form that is sent twice is charged once, and one that goes back asks for something else", async () => {
    const { fields, charged } = await tryIt(feeds.stream, { limit: "4" });
    const again = await tryIt(feeds.stream, fields);
    const other = await tryIt(feeds.stream, { ...fields, limit: "5" });
    expect([charged, again.charged, other.charged]).toEqual([PRICE, 0, PRICE]);
    expect([again.status, rowsIn(again.html), rowsIn(other.html)]).toEqual([200, 4, 5]);
  });

  test("a price that has risen since the page was shown is not charged, and the form has the new one", async () => {
    const { status, html, charged } = await tryIt(feeds.stream, { max_credits: "499.999" });
    expect([status, charged]).toEqual([422, 0]);
    expect(html).toContain("The price has changed since this page was loaded.");
    expect(html).toContain("(402 PRICE_ABOVE_MAX)");
    expect(html).toContain('name="max_credits" value="500"');
  });

  test("refusals that are about no field stand above the form, with status and code", async () => {
    const poor = await signIn(
      gateway.baseUrl,
      await gateway.createKey(await gateway.createAccount(), "read"),
    );
    for (const [feed, words] of [
      [feeds.stream, "(402 INSUFFICIENT_CREDITS)"],
      [feeds.sold, "(402 PURCHASE_REQUIRED)"],
    ] as const) {
      const answer = await poor.post(`/catalog/${feed}`, { act: "try" });
      const text = await answer.text();
      expect([answer.status, text.match(/role="alert".*?<\/div>/s)?.[0]]).toEqual([
        422,
        expect.stringContaining(words),
      ]);
    }
  });

  test("owners and readers with a free grant see that reads cost nothing", async () => {
    const own = await seedFeed(gateway, account, {
      type: "collection",
      rows: [{ id: 1 }],
      callPriceNanos: PRICE,
    });
    expect(await html(`/catalog/${own.feedId}`)).toContain("This read is free.");
    expect((await tryIt(own.feedId)).charged).toBe(0);
    await gateway.sql`
      insert into access_grants (feed_id, account_id, is_free)
      values (${feeds.stream}, ${account}, true)`;
    try {
      expect(await html(`/catalog/${feeds.stream}`)).toContain("This read is free.");
    } finally {
      await gateway.sql`delete from access_grants where account_id = ${account}`;
    }
  });
});

describe("spending", () => {
  test("the month has a forecast in all, by feed and by key, which expects no purchases", async () => {
    const consumer = await gateway.createAccount({ name: "Looks ahead", credits: 5_000_000 });
    const name = `=agent ${HOSTILE}`;
    const made = await gateway.send(
      "POST",
      "/v1/operator/keys",
      await createAdmin(gateway, "forecast"),
      { account_id: consumer, permission: "read", name },
    );
    const { key: own, id: keyId } = (await made.json()) as { key: string; id: string };
    await gateway.sql`
      insert into spending_days (account_id, day, feed_id, key_id, reads, purchases, charged_nanos, refunded_nanos)
      select ${consumer}::uuid, (now() at time zone 'UTC')::date - days, ${feeds.stream}::uuid, ${keyId}::uuid, 10, 0, 10000000000, 0
      from generate_series(1, 7) as days
      union all
      select ${consumer}::uuid, (now() at time zone 'UTC')::date - 1, ${feeds.sold}::uuid, ${keyId}::uuid, 0, 1, 1000000000, 0`;
    const at = await signIn(gateway.baseUrl, own);
    const csv = async (path: string) => (await (await at.get(path)).text()).split("\r\n");
    const nowMs = Date.now();
    const [head, ...lines] = await csv("/usage?csv=spending-by-feed");
    expect(head).toBe("Feed,Reads,Spent (USD),Forecast (USD)");
    const { pace, rest } = monthOf(nowMs);
    const quakes = lines.find((line) => line.startsWith("Earthquakes,"))?.split(",") ?? [];
    const forecast = Number(quakes[3]);
    expect(Math.abs(forecast - (Number(quakes[2]) + pace * rest))).toBeLessThan(0.05);
    const sold = lines.find((line) => line.includes("Seed"))?.split(",");
    // Of the month before, if it is the first today.
    if (sold !== undefined) expect(Number(sold[3])).toBe(Number(sold[2]));
    const [, byKey = ""] = await csv("/usage?csv=spending-by-key");
    expect(byKey).toStartWith(`"'=agent `);
    const page = await (await at.get("/usage")).text();
    expect(page).toContain("Forecast");
    expect(dangersIn(page)).toEqual([]);
    const week = await (await at.get("/usage?range=7d")).text();
    expect(week).not.toContain("Forecast");
    expect((await csv("/usage?csv=spending-by-feed&range=7d"))[0]).toBe("Feed,Reads,Spent (USD)");
    expect(await (await at.get("")).text()).toMatch(/about [\d.,]+ USD by the end of the month/);
  });

  test("every table is a file, and lists follow the range, the feed and the key", async () => {
    await tryIt(feeds.stream);
    await gateway.send("POST", `/v1/feed/${feeds.sold}/purchase`, key, { max_credits: 1_000_000 });
    await countSales(gateway.sql);
    for (const [path, head, isEmpty] of [
      ["/usage?csv=calls", "When,Call,Feed,Key,Charged (USD),Usage ID", false],
      ["/usage?csv=calls&range=24h", "When,Call,", false],
      [`/usage?csv=calls&feed=${feeds.stream}`, "When,Call,", false],
      [`/usage?csv=calls&feed=${account}`, "When,Call,", true],
      ["/usage?csv=calls&from=2020-01-01&to=2020-01-02", "When,Call,", true],
      ["/usage?csv=spending-by-day&range=7d", "Day (UTC),Reads,Purchases,Spent (USD)", false],
      ["/usage?csv=spending-by-key&range=12m", "Key,Reads,Spent (USD)", false],
      ["/purchases?csv=purchases", "Feed,When,Price (USD),Paid from", false],
      ["/purchases?csv=purchases&range=24h", "Feed,When,", false],
      ["/purchases?csv=purchases&from=2020-01-01&to=2020-01-02", "Feed,When,", true],
      ["/own-keys?csv=keys", "Key,Name,Permission,Daily budget (USD),Spent today (USD),", false],
    ] as const) {
      const answer = await who.get(path);
      const lines = (await answer.text()).trimEnd().split("\r\n");
      expect([path, answer.headers.get("content-type"), lines[0]]).toEqual([
        path,
        "text/csv; charset=utf-8",
        expect.stringContaining(head),
      ]);
      expect([path, lines.length === 1]).toEqual([path, isEmpty]);
    }
    expect(await html("/purchases")).toContain("Download CSV");
    expect(await html("/usage?range=none")).toContain("Forecast");
    expect((await who.get("/usage?from=x")).status).toBe(400);
  });

  test("older calls follow on the next page of every range, whose bounds move with the time", async () => {
    const reader = await gateway.createAccount({ name: "Reads much", credits: 1_000_000 });
    const readKey = await gateway.createKey(reader, "read");
    const reads = await Promise.all(
      Array.from({ length: 56 }, () => gateway.get(`/v1/feed/${feeds.stream}?limit=1`, readKey)),
    );
    expect(reads.every(({ status }) => status === 200)).toBe(true);
    const at = await signIn(gateway.baseUrl, readKey);
    for (const range of ["month", "24h", "12m"]) {
      const page = await (await at.get(`/usage?range=${range}`)).text();
      const next = /href="(\?[^"]*cursor=[^"]*)">Older calls/.exec(page)?.[1] ?? "";
      const older = await at.get(`/usage${next.replaceAll("&amp;", "&")}`);
      const text = await older.text();
      expect([range, older.status, text.split('data-head="Usage ID"').length - 1]).toEqual([
        range,
        200,
        6,
      ]);
    }
  });
});

describe("budgets", () => {
  test("each key with a budget has a bar, on the account's page and among the keys", async () => {
    const holder = await gateway.createAccount({ name: "Budgets", credits: 1_000_000 });
    const admin = await createAdmin(gateway, "budgets");
    const make = async (name: string, credits: number | undefined) => {
      const body = { account_id: holder, permission: "read", name, daily_credits: credits };
      const made = await gateway.send("POST", "/v1/operator/keys", admin, body);
      return ((await made.json()) as { key: string }).key;
    };
    const full = await make(`full ${HOSTILE}`, 500);
    const half = await make("half", 1_000);
    await make("idle", 2_000_000);
    const free = await make("no budget", undefined);
    for (const each of [full, half, free]) {
      expect((await gateway.get(`/v1/feed/${feeds.stream}`, each)).status).toBe(200);
    }
    const at = await signIn(gateway.baseUrl, free);
    for (const path of ["", "/own-keys"]) {
      const page = await (await at.get(path)).text();
      expect([path, dangersIn(page)]).toEqual([path, []]);
      const bars = [...page.matchAll(/<meter[^>]* value="(\d+)"[^>]*aria-label="Budget of (\w+)/g)];
      expect(bars.map(([, value, name]) => `${name} ${value}`).sort()).toEqual([
        "full 100",
        "half 50",
        "idle 0",
      ]);
      expect(page).toContain("0.0005 of 0.001 USD");
      expect(page).toContain(`reset at <time datetime="${tomorrow()}"`);
    }
    expect(await (await at.get("/own-keys")).text()).toContain("no limit");
  });
});

function tomorrow(): string {
  const now = new Date();
  return new Date(
    Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1),
  ).toISOString();
}

/** USD a day that the test spends, and the days that are left of the month. */
function monthOf(nowMs: number) {
  const now = new Date(nowMs);
  const end = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1);
  return { pace: 10, rest: (end - nowMs) / 86_400_000 };
}
