import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { shareTestGateway, type TestGateway } from "../../../support/gateway.ts";
import { countSales } from "../../../support/run_job.ts";
import { createAdmin, fieldsIn, signIn, type Visitor } from "../support.ts";

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await shareTestGateway();
});
afterAll(() => gateway.stop());

test("a provider sees that its feed is suspended, why, and no button that is refused", async () => {
  const key = await gateway.createKey(await gateway.createAccount(), "write");
  const body = { name: "Gold", endpoint_path: "gold-on-hold" };
  const created = await gateway.send("POST", "/v1/provider/feed/create", key, body);
  const { id } = (await created.json()) as { id: string };
  await gateway.send("POST", `/v1/provider/feed/${id}/push`, key, { payload: [{ id: 1 }] });
  const who = await signIn(gateway.baseUrl, key);
  const pages = async () => [
    await (await who.get("")).text(),
    await (await who.get(`/feeds/${id}`)).text(),
  ];
  const act = async (path: string, sent: object) => {
    const at = `/v1/operator/feeds/${id}/${path}`;
    expect((await gateway.send("POST", at, admin, sent)).status).toBe(200);
  };
  const admin = await createAdmin(gateway);
  await act("suspend", { reason: "a <complaint>" });
  const [list = "", one = ""] = await pages();
  expect(list).toContain('<span class="badge bad">suspended</span>');
  expect(list).not.toContain(">active<");
  expect(one).toContain('<span class="badge bad">suspended</span>');
  expect(one).toContain("a &lt;complaint>");
  for (const button of ["Push a file", "Edit the listing", "Request a review"]) {
    expect(one).not.toContain(button);
  }
  await act("resume", {});
  const [listAfter = "", oneAfter = ""] = await pages();
  for (const html of [listAfter, oneAfter]) {
    expect(html).toContain('<span class="badge good">active</span>');
    expect(html).not.toContain("suspended");
  }
  for (const button of ["Push a file", "Edit the listing", "Request a review"]) {
    expect(oneAfter).toContain(button);
  }
});

describe("a feed's page", () => {
  let who: Visitor;
  let key: string;
  let account: string;
  beforeAll(async () => {
    account = await gateway.createAccount({ name: "Ocean <b>Data</b>" });
    key = await gateway.createKey(account, "write");
    who = await signIn(gateway.baseUrl, key);
  });

  const stream = async (slug: string, more: object = {}) => {
    const created = await gateway.send("POST", "/v1/provider/feed/create", key, {
      ...{ name: slug, endpoint_path: slug, feed_type: "stream", schema_locked: true },
      schema_definition: {
        required: ["id", "n"],
        properties: { id: {}, n: { type: "number" } },
      },
      ...more,
    });
    return ((await created.json()) as { id: string }).id;
  };
  const push = (id: string, payload: unknown) =>
    gateway.send("POST", `/v1/provider/feed/${id}/push`, key, { payload });
  const pageOf = async (id: string) => (await who.get(`/feeds/${id}`)).text();
  const alertIn = (html: string) => html.match(/role="alert".*?<\/div>/s)?.[0] ?? "";

  test("shows its days as charts, and what each push has changed", async () => {
    const created = await gateway.send("POST", "/v1/provider/feed/create", key, {
      ...{ name: "Charts", endpoint_path: "with-charts", feed_type: "collection" },
      ...{ price_type: "metered", price_per_1k: 1_000 },
    });
    const { id } = (await created.json()) as { id: string };
    expect(await pageOf(id)).not.toContain("<figure");
    await push(id, [{ id: 1 }, { id: 2 }]);
    await push(id, [{ id: 2, n: 1 }, { id: 3 }]);
    const reader = await gateway.createAccount({ credits: 10_000_000 });
    const readKey = await gateway.createKey(reader, "read");
    for (let reads = 0; reads < 3; reads += 1) await gateway.get("/v1/feed/with-charts", readKey);
    await countSales(gateway.sql);
    const html = await pageOf(id);
    expect(html).toContain("<strong>2 new</strong>");
    expect(html).toContain("<strong>1 new, 1 changed</strong>");
    expect(html).toMatch(/Earned<\/div><div class="value ">3.00 USD/);
    expect(html).toContain("3,000,000 credits, after fees");
    const today = (title: string) =>
      [...html.matchAll(/<figure class="chart"><figcaption>(.*?)<\/figcaption>.*?<\/figure>/gs)]
        .find(([, head]) => head?.startsWith(title))?.[0]
        .match(/data-value="[\d.]+">[^<]*<\/td>/g)
        ?.slice(-2)
        .map((cell) => cell.replace(/.*>(.*)<.*/, "$1"));
    expect(today("Reads by day")?.at(-1)).toBe("3");
    expect(today("Readers by day")?.at(-1)).toBe("1");
    expect(today("Earned by day")?.at(-1)).toBe("3");
    expect(today("Rows by day")).toEqual(["3", "1"]);
    expect(today("On time by day")?.at(-1)).toBe("100.0");
  });

  test("shows the rows of the last refusal and what to change, until a later push is stored", async () => {
    const id = await stream("refused-rows");
    const rows = [{ id: "a", n: 1 }, { id: "<b>", n: "x" }, { n: 1 }];
    expect((await push(id, rows)).status).toBe(422);
    const html = await pageOf(id);
    const [table = ""] = html.match(/aria-label="Rows of the last refusal".*?<\/table>/s) ?? [];
    expect(table).toMatch(/row 2<!-- -->|row 2/);
    expect(table).toContain("<code>&lt;b></code>");
    expect(table).toContain("<code>/n</code>");
    expect(table).toContain("must be a number");
    expect(table).toContain("has no id; give each row an id");
    expect(html).toContain("The last push was refused");
    expect(html).toContain("Correct these rows at the source");
    // What has no rows has none of an earlier refusal.
    expect((await gateway.send("POST", `/v1/provider/feed/${id}/push`, key, 7)).status).toBe(422);
    await push(id, [{ id: "a", n: 1 }]);
    expect(await pageOf(id)).toContain("A later push was stored.");
  });

  test("the rows of a refused import have their lines", async () => {
    const id = await stream("refused-lines");
    const answer = await fetch(`${gateway.baseUrl}/v1/provider/feed/${id}/import`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/x-ndjson" },
      body: '{"id":1,"n":1}\n{"id":2}\n',
    });
    await answer.text();
    const html = await pageOf(id);
    expect(html).toMatch(/Rows of the last refusal.*line 2.*must have the property/s);
    const kept = await gateway.sql`
      select mistakes, mistake_count from push_mistakes where feed_id = ${id}`;
    expect(kept[0]).toMatchObject({ mistake_count: 1 });
  });

  test("a row of a stream is pushed from its box, and a mistake in it is marked", async () => {
    const sample = { id: "s-1", event_timestamp: "2026-01-01T00:00:00Z", n: 1.5 };
    const id = await stream("one-row", { sample_response: sample });
    const draft = fieldsIn(await pageOf(id)).row ?? "";
    expect(JSON.parse(draft)).toMatchObject({ n: 1.5 });
    expect(JSON.parse(draft).id).not.toBe("s-1");
    expect(JSON.parse(draft).event_timestamp).not.toBe(sample.event_timestamp);
    const send = async (row: string) => {
      const answer = await who.post(`/feeds/${id}`, { act: "row", row });
      return { to: answer.headers.get("location"), html: await answer.text() };
    };
    expect((await send(draft)).to).toEndWith("?done=row_pushed");
    expect((await send(draft)).to).toEndWith("?done=row_known");
    const unfit = await send('{\n  "id": 1,\n  "n": "x"\n}');
    expect(alertIn(unfit.html)).toContain("/n: must be a number");
    expect(unfit.html).toContain("Line 3</strong>: must be a number");
    expect((await send("{\n  no\n}")).html).toContain("Line 2</strong>: expected a key");
    expect(alertIn((await send("[1]")).html)).toContain("must be one JSON object, got array");
    expect(alertIn((await send('{"a":1}, {"b":2}')).html)).toContain("expected the end");
    const [count] = await gateway.sql`
      select count(*)::int as rows from stream_events where feed_id = ${id}`;
    expect(count?.rows).toBe(1);
  });

  test("a month's statement has its sums, feeds, days and payouts", async () => {
    const month = new Date().toISOString().slice(0, 7);
    await gateway.sql`
      insert into payouts (account_id, amount_nanos, reference)
      values (${account}, 1500000000, ${"paid <i>1</i>"})`;
    const html = await (await who.get(`/earnings/statement?month=${month}`)).text();
    expect(html).toContain("Ocean &lt;b>Data&lt;/b>");
    expect(html).toMatch(/Net<\/td><td class="num" data-head="USD">3.00</);
    expect(html).toMatch(/aria-label="By feed".*Charts.*3.00/s);
    expect(html).toMatch(/paid &lt;i>1&lt;\/i>.*1.50</s);
    expect(html).toContain("not final: includes sales until");
    const empty = await (await who.get("/earnings/statement?month=2001-02")).text();
    expect(empty).toContain("Statement for February 2001");
    expect(empty).toContain("2001-02-01 to 2001-02-28");
    expect(empty).toContain("No sales in this month.");
    for (const wrong of ["2026-13", "x", "0000-01", "99999-01"]) {
      expect((await who.get(`/earnings/statement?month=${wrong}`)).status).toBe(400);
    }
    expect(await (await who.get("/earnings")).text()).toContain(`statement?month=${month}`);
  });
});
