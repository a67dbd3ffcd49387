import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import hostileStrings from "../../../fixtures/hostile-strings.json" with { type: "json" };
import parsing from "../../../fixtures/json-parsing.json" with { type: "json" };
import { startTestGateway, type TestGateway } from "../../../support/gateway.ts";
import { threadMs } from "../../../support/thread_time.ts";
import { dangersIn, fieldsIn, signIn, type Visitor } from "../support.ts";

/** Processor time of a request, in ms: the rule, and twice as much for the client on the same thread. */
const REQUEST_MS = 20;
const MS_PER_PIECE = 2;
const PIECE_BYTES = 16 * 1_024;
const SLACK = 2;
const MB = 1_048_576;

let gateway: TestGateway;
let who: Visitor;

beforeAll(async () => {
  gateway = await startTestGateway();
  const account = await gateway.createAccount({ name: "Provider" });
  await gateway.sql`update accounts set max_feeds_allowed = 1000 where account_id = ${account}`;
  who = await signIn(gateway.baseUrl, await gateway.createKey(account, "write"));
});
afterAll(() => gateway.stop());

type Fields = Readonly<Record<string, string>>;

function formOf(fields: Fields, file?: File): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  if (file !== undefined) form.set("file", file);
  return form;
}

async function send(fields: Fields, file?: File) {
  const answer = await who.post("/new", formOf(fields, file));
  const html = await answer.text();
  expect(answer.status).toBeLessThan(500);
  expect(dangersIn(html)).toEqual([]);
  return { answer, html, status: answer.status };
}

const look = (name: string, content: string | Uint8Array<ArrayBuffer>) =>
  send({ act: "look" }, new File([content], name));
const alertIn = (html: string) => html.match(/role="alert".*?<\/div>/s)?.[0] ?? "";

async function feedNamed(slug: string) {
  const [row] = await gateway.sql`
    select feed_id, name, feed_type, status, review, price_type, call_price_nanos::int as price,
      schema_definition::text as schema, sample_response::text as sample, is_public
    from feeds where endpoint_path = ${slug}`;
  return row;
}

async function rowsOf(slug: string) {
  const rows = await gateway.sql`
    select payload::text as text from collection_rows join feeds using (feed_id)
    where endpoint_path = ${slug} and batch_number = current_batch
    union all
    select payload::text from stream_events join feeds using (feed_id) where endpoint_path = ${slug}`;
  return rows.map(({ text }) => text);
}

const CSV = "code,city,temp,seen_on\nLIM,Lima,19.40,2026-01-01\nTYO,Tokyo,21,2026-01-02\n";

describe("a new feed from a file", () => {
  test("is proposed with its rows, and published with a price", async () => {
    const { html } = await look("City temps 2026.csv", CSV);
    const fields = fieldsIn(html);
    expect(fields).toMatchObject({
      name: "City temps 2026",
      endpoint_path: "city-temps-2026",
      feed_type: "collection",
      price_type: "free",
    });
    expect(JSON.parse(fields.schema_definition ?? "")).toEqual({
      type: "object",
      properties: {
        id: { type: "string" },
        city: { type: "string" },
        temp: { type: "number" },
        seen_on: { type: "string", format: "date" },
      },
      required: ["id", "city", "temp", "seen_on"],
    });
    expect(html).toMatch(/<td>LIM<\/td><td>Lima<\/td><td class="num">19.40<\/td>/);
    expect(await feedNamed("city-temps-2026")).toBeUndefined();
    const priced = { ...fields, price_type: "metered", price_per_1k: "0.50", act: "publish" };
    const asked = await send(priced);
    expect(asked.html).toContain("“City temps 2026” will contain 2 rows from City temps 2026.csv");
    expect(asked.html).toContain("0.50 USD per 1,000 calls");
    expect(await feedNamed("city-temps-2026")).toBeUndefined();
    const back = await send({ ...priced, confirmed: "no" });
    expect(fieldsIn(back.html)).toMatchObject({ price_type: "metered", price_per_1k: "0.50" });
    const { answer } = await send({ ...priced, confirmed: "yes" });
    expect(answer.headers.get("location")).toEndWith("?done=submitted");
    expect(await feedNamed("city-temps-2026")).toMatchObject({
      status: "active",
      review: "waiting",
      price: 500_000,
      is_public: false,
    });
    expect(await rowsOf("city-temps-2026")).toEqual([
      '{"id":"LIM","city":"Lima","temp":19.40,"seen_on":"2026-01-01"}',
      '{"id":"TYO","city":"Tokyo","temp":21,"seen_on":"2026-01-02"}',
    ]);
    const again = await send({ ...priced, confirmed: "yes" });
    expect(alertIn(again.html)).toContain("Another feed has this endpoint_path");
  });

  test("is a draft without rows, if that is what is wanted", async () => {
    const fields = fieldsIn((await look("drafted.json", '{"a":{"b":[1,2]}}')).html);
    expect(fields.feed_type).toBe("singleton");
    const { answer } = await send({ ...fields, name: "Renamed", act: "draft" });
    expect(answer.headers.get("location")).toEndWith("?done=drafted");
    expect(await feedNamed("drafted")).toMatchObject({
      name: "Renamed",
      status: "draft",
      feed_type: "singleton",
    });
  });

  test("a document and a stream are published as what they are, with the chosen fields renamed", async () => {
    const document = fieldsIn((await look("rates.json", '{"eur":1.10,"10":1}')).html);
    await send({ ...document, act: "publish", confirmed: "yes" });
    const [stored] = await gateway.sql`
      select payload::text as text from documents join feeds using (feed_id)
      where endpoint_path = 'rates'`;
    expect(stored?.text).toBe('{"eur":1.10,"10":1}');
    const at = "2026-01-01T00:00:00Z";
    const lines = `{"time":"${at}","key":"a","n":1}\n{"time":"${at}","key":"b","n":2}\n`;
    const first = await look("quakes.jsonl", lines);
    expect(first.html).toContain("<code>time</code> becomes <code>event_timestamp</code>");
    const stream = fieldsIn(first.html);
    await send({ ...stream, act: "publish", confirmed: "yes" });
    expect(await rowsOf("quakes")).toEqual([
      `{"event_timestamp":"${at}","id":"a","n":1}`,
      `{"event_timestamp":"${at}","id":"b","n":2}`,
    ]);
  });

  test("another type or field is proposed anew, and what was typed stays", async () => {
    const fields = fieldsIn((await look("choice.csv", CSV)).html);
    const other = await send({ ...fields, name: "Mine", id_field: "1", act: "again" });
    const changed = fieldsIn(other.html);
    expect(changed).toMatchObject({ name: "Mine", id_field: "1" });
    expect(Object.keys(JSON.parse(changed.schema_definition ?? "").properties)).toEqual([
      "code",
      "id",
      "temp",
      "seen_on",
    ]);
    const own = '{"properties":{"id":{"type":"string"}}}';
    const kept = await send({ ...changed, schema_definition: own, act: "again" });
    expect(fieldsIn(kept.html).schema_definition).toBe(own);
    // Without a type in the schema, a value of CSV is a text.
    expect(kept.html).toContain("<td>19.40</td>");
  });

  test("mistakes in the rows are named before anything is stored", async () => {
    const { html } = await look("twice.ndjson", '{"id":"a"}\n\n{"n":1}\n{"id":[]}\n');
    expect(html).toContain("line 3: has no id");
    const fields = fieldsIn(html);
    const asked = await send({ ...fields, act: "publish" });
    expect(asked.status).toBe(422);
    expect(alertIn(asked.html)).toMatch(/line 3: has no id.*line 4: \/id: id must be a string/s);
    expect(await feedNamed("twice")).toBeUndefined();
    // What only the whole file shows is found when it is stored.
    const late = fieldsIn((await look("late.csv", `id,n\n${rows(1_200)}5,again\n`)).html);
    const { html: end, status } = await send({ ...late, act: "publish", confirmed: "yes" });
    expect(status).toBe(200);
    expect(end).toContain("The file was refused");
    expect(end).toContain("line 1202: /id: ids must be unique within a file");
    expect(await feedNamed("late")).toMatchObject({ status: "draft" });
  });

  test.each([
    ["a mistake of JSON", '{\n  "type": "object",\n  required: []\n}', 3, "in double quotes"],
    ["a keyword", '{\n  "properties": {\n    "a/b": {\n      "type": "nubmer"}}}', 4, "type must"],
    ["a key that comes twice", '{"a":{},\n"a":{}}', 1, "one key twice"],
    ["a reference", '{"properties":{\n"a":\n{"$ref":"#/none"}}}', 3, "points to nothing"],
  ])("%s in the schema is marked", async (_, schema, line, message) => {
    for (const fields of [
      { ...fieldsIn((await look("marked.csv", CSV)).html), act: "draft" },
      { name: "Marked", endpoint_path: "marked", act: "create" },
    ]) {
      const { html, status } = await send({ ...fields, schema_definition: schema });
      expect(status).toBe(422);
      expect(html).toMatch(new RegExp(`Line ${line}</strong>: [^<]*${message}`));
      expect(html).toMatch(/<textarea id="schema_definition"[^>]* aria-invalid="true"/);
      expect(html.match(/<mark>/g)).toHaveLength(1);
      expect(fieldsIn(html).schema_definition).toBe(schema);
    }
    expect(await feedNamed("marked")).toBeUndefined();
  });

  test("a schema of 256 KB is taken, and a larger one is refused with its size", async () => {
    const schema = (bytes: number) => {
      const text = '{"type":"object","description":"';
      return `${text}${"x".repeat(bytes - text.length - 2)}"}`;
    };
    const fields = { name: "Large", act: "create" };
    const fit = await send({ ...fields, endpoint_path: "fit", schema_definition: schema(262_144) });
    expect([fit.status, alertIn(fit.html)]).toEqual([200, ""]);
    const large = { endpoint_path: "large", schema_definition: schema(262_145) };
    const refused = await send({ ...fields, ...large });
    expect(refused.status).toBe(422);
    expect(alertIn(refused.html)).toContain("schema_definition must");
  });

  test("a price is typed in USD, and an amount that was not chosen is left out", async () => {
    const price = { price_per_1k: "x", one_time_price_usd: "1,234.5", price_type: "one_time" };
    await send({ name: "Once", endpoint_path: "once", act: "create", ...price });
    const [row] = await gateway.sql`
      select one_time_price_cents::int as cents from feeds where endpoint_path = 'once'`;
    expect(row?.cents).toBe(123_450);
    const wrong = { ...price, one_time_price_usd: "5.005", endpoint_path: "wrong" };
    const refused = await send({ name: "Once", act: "create", ...wrong });
    expect(alertIn(refused.html)).toContain("at most two decimal places, such as 5.00, got");
  });
});

function rows(count: number): string {
  return Array.from({ length: count }, (_, n) => `${n},x\n`).join("");
}

describe("any file", () => {
  test("is proposed or refused with a reason, whatever its bytes", async () => {
    for (const { name, base64 } of parsing) {
      const { html, status } = await look(`${name}.json`, Buffer.from(base64, "base64"));
      if (status === 422) expect(alertIn(html).length).toBeGreaterThan(30);
      else expect(html).toContain("This is a proposal");
    }
    for (const [bytes, why, name = "a.csv"] of [
      ["", "Select a file first."],
      ["[1,2]", "row must be an object, got number", "a.json"],
      ["7", "it is a number", "a.json"],
      [Buffer.from(CSV, "utf16le"), "UTF-16"],
      [Buffer.from("id,n\n1,\xff\n", "latin1"), "not valid UTF-8"],
      [Uint8Array.of(0x50, 0x4b, 3, 4, 0, 0), "workbooks of Excel"],
    ] as const) {
      expect(alertIn((await look(name, bytes)).html)).toContain(why);
    }
    const { html } = await look("large.csv", `id\n${"1\n".repeat(MB + 100)}`);
    expect(alertIn(html)).toContain("feedgate feed init");
  });

  test("of hostile texts stays text, in names of files and fields, in cells and in samples", async () => {
    const texts = hostileStrings.map(({ text }) => text.replaceAll("\0", ""));
    const rows = texts.map((text, id) => ({
      id,
      [text.slice(0, 100) || "empty"]: text,
      all: text,
    }));
    const { html, status } = await look(`${texts[7]}.json`, JSON.stringify(rows));
    expect(status).toBe(200);
    const fields = fieldsIn(html);
    const asked = await send({ ...fields, endpoint_path: "hostile", act: "publish" });
    expect([asked.status, alertIn(asked.html)]).toEqual([200, ""]);
    const done = await send({
      ...fields,
      endpoint_path: "hostile",
      act: "publish",
      confirmed: "yes",
    });
    expect([done.status, alertIn(done.html)]).toEqual([303, ""]);
    expect(await rowsOf("hostile")).toHaveLength(texts.length);
    for (const text of texts.slice(0, 40)) {
      const file = new File([CSV], `${text.replaceAll(/["\r\n/\\]/g, "") || "x"}.csv`);
      await send({ act: "look" }, file);
    }
  });

  const wide = Array.from({ length: 1_000 }, (_, n) => `c${n}`);
  const FILES: Readonly<Record<string, string>> = {
    "1,000 columns.csv": `${wide.join(",")}\n${`${wide.map((_, n) => n).join(",")}\n`.repeat(260)}`,
    "1,000 fields.ndjson":
      `${JSON.stringify(Object.fromEntries(wide.map((name, n) => [name, n])))}\n`.repeat(90),
    "1 MB in a cell.csv": `id,a\n1,${"x".repeat(MB)}\n2,b\n`,
    "1 MB in quotes.csv": `id,a\n1,"${"x".repeat(MB)}"\n2,b\n`,
    "many rows.csv": `id,city,temp\n${Array.from({ length: 40_000 }, (_, n) => `${n},City ${n},1.5\n`).join("")}`,
    "line ends.csv": "\n".repeat(MB),
    "quotes.csv": '"'.repeat(MB),
    "numbers.json": `[${"1,".repeat(500_000)}1]`,
    "empty objects.json": `[${"{},".repeat(300_000)}{}]`,
    "keys.json": `{${Array.from({ length: 80_000 }, (_, n) => `"k${n}":1`).join(",")}}`,
    "deep.json": "[".repeat(MB),
    "deep objects.json": `${'{"a":'.repeat(90)}1${"}".repeat(90)}`,
  };
  test.each(Object.keys(FILES))("%s costs a bounded time", async (name) => {
    const file = new File([FILES[name] ?? ""], name);
    const maxMs = SLACK * (REQUEST_MS + (MS_PER_PIECE * file.size) / PIECE_BYTES);
    let leastMs = Number.POSITIVE_INFINITY;
    for (let tried = 0; tried < 4 && leastMs > maxMs; tried += 1) {
      const beforeMs = threadMs();
      await send({ act: "look" }, file);
      leastMs = Math.min(leastMs, threadMs() - beforeMs);
    }
    expect(leastMs).toBeLessThan(maxMs);
  });
});
