import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { Feedgate } from "../../src/client/mod.ts";
import { type FaultyProxy, startFaultyProxy } from "../support/faulty_proxy.ts";
import { temporaryFolder } from "../support/folders.ts";
import { freePort } from "../support/free_port.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { seedFeed } from "../support/seed.ts";
import { type Environment, linesOf, type Run, runFeedgate, runInTerminal } from "./support.ts";

let gateway: TestGateway;
let proxy: FaultyProxy;
let owner: string;
let reading: Environment;
let writing: Environment;
const folder = temporaryFolder();

beforeAll(async () => {
  gateway = await startTestGateway({
    FEEDGATE_READ_LIMIT_FREE: "1000",
    FEEDGATE_PUSH_LIMIT: "1000",
  });
  proxy = await startFaultyProxy(gateway.baseUrl);
  owner = await gateway.createAccount({ name: "Owner" });
  const reader = await gateway.createAccount({ credits: 2_000_000 });
  const FEEDGATE_URL = proxy.url;
  reading = { FEEDGATE_URL, FEEDGATE_KEY: await gateway.createKey(reader, "read") };
  writing = { FEEDGATE_URL, FEEDGATE_KEY: await gateway.createKey(owner, "write") };
});
afterAll(async () => {
  proxy.stop();
  await gateway.stop();
});

const read = (...argv: readonly string[]) => runFeedgate(argv, reading);
const write = (...argv: readonly string[]) => runFeedgate(argv, writing);

const rowsOf = (count: number, from = 0) =>
  Array.from({ length: count }, (_, place) => ({ id: from + place, city: "Lima" }));

async function seed(count: number, fields: object = {}) {
  const rows = rowsOf(count);
  return (await seedFeed(gateway, owner, { type: "collection", rows, ...fields })).slug;
}

let files = 0;
async function file(text: string | Uint8Array, extension = "ndjson"): Promise<string> {
  files += 1;
  const path = join(folder, `file-${files}.${extension}`);
  await Bun.write(path, text);
  return path;
}

const ndjson = (rows: readonly object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join("");

function done({ code, stdout, stderr }: Run): string {
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout;
}

/** Checks exit code and lines of standard error. */
function ended(run: Run, code: number, ...messages: readonly string[]): void {
  expect({ code: run.code, stdout: run.stdout }).toEqual({ code, stdout: "" });
  for (const message of messages) expect(run.stderr).toContain(message);
  expect(run.stderr).not.toContain(String(reading.FEEDGATE_KEY));
}

/** A draft of a feed; its slug. */
async function draft(name: string, fields: object = {}): Promise<string> {
  const key = writing.FEEDGATE_KEY as string;
  const body = { name, endpoint_path: name, ...fields };
  expect((await gateway.send("POST", "/v1/provider/feed/create", key, body)).status).toBe(201);
  return name;
}

describe("feedgate search, describe, buy", () => {
  test("finds feeds, tells of one, and buys it", async () => {
    const slug = await seed(3, { name: "Tides of Brest", isPublic: true, oneTimePriceCents: 100 });
    expect(done(await read("search", "tides", "brest"))).toContain(slug);
    expect(JSON.parse(done(await read("search", "tides", "--json")))).toMatchObject({ total: 1 });
    expect(done(await read("search", "nothingofthiskind"))).toContain("no public feed");
    const told = done(await read("describe", slug));
    expect(told).toContain("$1.00 one-time");
    expect(told).toMatch(/rows +3, /);
    ended(await read("read", slug), 1, "to buy it: ", "buy FEED --max-credits 1000000");
    ended(await read("buy", slug), 2, "--max-credits N is required");
    ended(await read("buy", slug, "--max-credits", "1"), 1, "1000000 credits");
    expect(done(await read("buy", slug, "--max-credits", "1000000"))).toContain(
      "1,000,000 credits",
    );
    expect(done(await read("read", slug))).toBe(ndjson(rowsOf(3)));
  });

  test("one line and an exit code for what is wrong", async () => {
    ended(await read("describe", "no-such-feed"), 1, "no active feed has this id or slug");
    ended(await write("search", "x"), 1, "needs a read key");
    ended(await runFeedgate(["search", "x"], {}), 2, "FEEDGATE_URL", "FEEDGATE_KEY");
    ended(await runFeedgate(["search", "x", "--url", "ftp://x"], {}), 2, "http://");
    const { FEEDGATE_URL } = reading;
    ended(await runFeedgate(["search", "x"], { FEEDGATE_URL }), 1, "set FEEDGATE_KEY");
    ended(await runFeedgate(["search", "x"], { FEEDGATE_URL, FEEDGATE_KEY: "fg_read_x" }), 1);
    const placeholder = { FEEDGATE_URL, FEEDGATE_KEY: "fg_read_…" };
    ended(await runFeedgate(["search", "x"], placeholder), 2, 'the key contains "…"', "--key");
    ended(await read("search", "x", "--data-dir", "y"), 2, "--data-dir");
    ended(await read("search"), 2, "expected WORDS, got none");
    const away = `http://127.0.0.1:${freePort()}`;
    ended(await read("search", "x", "--url", away), 3, `${away} can't be reached`);
    const html = Bun.serve({ port: 0, fetch: () => new Response("<html>", { status: 404 }) });
    ended(await read("search", "x", "--url", html.url.href), 1, "404 <html>");
    await html.stop(true);
  });
});

describe("feedgate read", () => {
  test("writes a page, and says how to see more", async () => {
    const slug = await seed(25);
    const { code, stdout, stderr } = await read("read", slug, "--limit", "2");
    expect([code, stdout]).toEqual([0, ndjson(rowsOf(2))]);
    const [, cursor = ""] = /--cursor (\S+)\n$/.exec(stderr) ?? [];
    const next = await read("read", slug, "--limit", "2", "--cursor", cursor);
    expect(next.stdout).toBe(ndjson(rowsOf(2, 2)));
  });

  test("says how to go on also if arguments come after --, which are no options", async () => {
    const slug = await seed(45);
    for (const argv of [
      ["read", "--limit", "20", "--", slug],
      ["--", "read", slug],
    ]) {
      let shown = "";
      let page = await read(...argv);
      for (let pages = 1; pages < 3; pages++) {
        shown += page.stdout;
        const [, again = ""] = /feedgate (.* -- .*)\n$/.exec(page.stderr) ?? [];
        page = await read(...again.split(" "));
      }
      expect(shown + done(page)).toBe(ndjson(rowsOf(45)));
    }
    const away = `http://127.0.0.1:${freePort()}`;
    const run = await read("search", "--url", away, "--", "--key", "a", "--limit");
    ended(run, 3, `feedgate search --url ${away} -- --key a --limit\n`);
  });

  test("writes all rows in every format, and only some fields and rows", async () => {
    const rows = [
      { id: 1, city: "Lima, Peru", temp: 19.4, tags: ["a"], extra: null },
      { id: 2, city: 'say "hi"', temp: 20, tags: [] },
    ];
    const slug = (await seedFeed(gateway, owner, { type: "collection", rows })).slug;
    await gateway.sql`
      update feeds set schema_definition = '{"properties":{"temp":{},"id":{},"city":{}}}'
      where endpoint_path = ${slug}`;
    const all = (...more: readonly string[]) => read("read", slug, "--all", ...more);
    expect(done(await all())).toBe(ndjson(rows));
    expect(JSON.parse(done(await all("--format", "json")))).toEqual(rows);
    expect(JSON.parse(done(await all("--json")))).toEqual(rows);
    expect(done(await all("--format", "csv"))).toBe(
      'id,temp,city,_other\n1,19.4,"Lima, Peru","{""tags"":[""a""],""extra"":null}"\n2,20,"say ""hi""","{""tags"":[]}"\n',
    );
    expect(done(await all("--format", "csv", "--fields", "temp,none"))).toBe(
      "temp,none\n19.4,\n20,\n",
    );
    expect(done(await all("--format", "table"))).toBe(
      'id  temp  city        tags   extra\n1   19.4  Lima, Peru  ["a"]\n2   20    say "hi"    []\n',
    );
    expect(done(await all("--filter", "temp=20", "--filter", 'city=say "hi"'))).toBe(
      ndjson(rows.slice(1)),
    );
    expect(done(await all("--fields", "temp,id"))).toStartWith('{"temp":19.4,"id":1}\n');
    expect(done(await all("--json", "--filter", "temp=21"))).toBe("[]\n");
  });

  test("a table keeps the order of fields that are named like integers", async () => {
    const rows = [{ id: "a", city: "Lima", 2024: 3, 10: 4 }];
    const slug = (await seedFeed(gateway, owner, { type: "collection", rows })).slug;
    const shown = async (...argv: readonly string[]) =>
      linesOf(done(await read("read", slug, "--all", "--format", "table", ...argv)));
    expect(await shown()).toEqual(["id  10  2024  city", "a   4   3     Lima"]);
    expect(await shown("--fields", "city,2024,id,10")).toEqual([
      "city  2024  id  10",
      "Lima  3     a   4",
    ]);
  });

  test("CSV keeps a field that is named like its last column", async () => {
    const rows = [
      { id: 1, _other: "mine" },
      { id: 2, _other: 5, k: "v" },
    ];
    const slug = (await seedFeed(gateway, owner, { type: "collection", rows })).slug;
    expect(done(await read("read", slug, "--all", "--format", "csv"))).toBe(
      'id,_other,k\n1,"{""_other"":""mine""}",\n2,"{""_other"":5}",v\n',
    );
  });

  test("keeps every digit, and every character in a pipe", async () => {
    const texts = ['{"id":12345678901234567890,"x":1.10,"s":"\u202e👩‍🚀"}'];
    const { slug } = await seedFeed(gateway, owner, { type: "collection", texts });
    expect(done(await read("read", slug, "--all"))).toBe(`${texts[0]}\n`);
    const [line = ""] = await runInTerminal(["read", slug, "--format", "ndjson"], {
      columns: 200,
      environment: reading,
    });
    expect(line).toContain("\\u202e");
    expect(JSON.parse(line)).toEqual(JSON.parse(texts[0] as string));
  });

  test("stops at a gateway that has gone, with 3 and the command that goes on", async () => {
    const slug = await seed(450);
    const goneOn = { status: 503, body: UNAVAILABLE };
    proxy.fail("pass", "pass", ...Array(5).fill(goneOn));
    const half = await read("read", slug, "--all", "--limit", "100");
    expect([half.code, half.stdout]).toEqual([3, ndjson(rowsOf(200))]);
    const [, again = ""] = /to resume: .*?feedgate (read .*)\n$/.exec(half.stderr) ?? [];
    const rest = await read(...again.split(" "));
    expect(done(rest)).toBe(ndjson(rowsOf(250, 200)));
  });

  test("exports a large feed, and goes on where an export stopped", async () => {
    const slug = await seed(5_000);
    expect(done(await read("read", slug, "--all"))).toBe(ndjson(rowsOf(5_000)));
    const { FEEDGATE_URL: url = "", FEEDGATE_KEY: key } = reading;
    const { value: part } = await new Feedgate({ url, key }).exportRows(slug).next();
    const rest = await read("read", slug, "--all", "--cursor", part?.resume ?? "");
    expect(done(rest)).toBe(ndjson(rowsOf(5_000).slice(part?.rows.length)));
    const stream = await draft("cli-all", { feed_type: "stream" });
    done(await write("push", stream, await file(ndjson(rowsOf(250)))));
    const { stdout } = await read("read", stream, "--all", "--fields", "id");
    expect(linesOf(stdout).map((line) => JSON.parse(line).id)).toEqual(
      rowsOf(250).map(({ id }) => id),
    );
  });

  test("follows a gateway only after it has reached it", async () => {
    const away = `http://127.0.0.1:${freePort()}`;
    const run = await read("read", "x", "--follow", "--url", away);
    ended(run, 3, `can't be reached; to run it again: `, `read x --follow --url ${away}\n`);
  });

  test("refuses options that exclude each other", async () => {
    const usage = async (message: string, ...argv: readonly string[]) =>
      ended(await read("read", "x", ...argv), 2, message);
    await usage("can't be combined", "--all", "--follow");
    await usage("can't be combined", "--json", "--format", "csv");
    await usage("has no end", "--follow", "--format", "table");
    await usage("omit --filter", "--follow", "--filter", "a=b");
    await usage("a field and a value", "--filter", "a");
    await usage("more than once for a", "--filter", "a=1", "--filter", "a=2");
    await usage("--fields names id more than once", "--fields", "id,n, id");
    await usage("--limit was given more than once", "--limit", "1", "--limit", "2");
    await usage("--offset requires --follow", "--offset", "now");
  });

  test("fits a terminal, and never cuts what is copied", async () => {
    const name = "A name of a feed that is far too long for the width of a terminal";
    const slug = await seed(2, { name, isPublic: true });
    for (const columns of [80, 50]) {
      const screen = (...argv: readonly string[]) =>
        runInTerminal(argv, { columns, environment: reading });
      const found = await screen("search", "far", "too", "long");
      expect(found.join("\n")).toContain(slug);
      const rows = await screen("read", slug, "--all");
      expect(rows).toEqual(["id  city", "0   Lima", "1   Lima"]);
      for (const line of [...found, ...rows]) {
        expect(Bun.stringWidth(line)).toBeLessThanOrEqual(columns);
      }
    }
  });

  test("writes what a provider pushed without what speaks to a terminal", async () => {
    const rows = [{ id: "x\u001b[2Jy", t: "\u0007\u202e" }];
    const { slug } = await seedFeed(gateway, owner, {
      type: "collection",
      rows,
      name: "\u001b]0;x\u0007",
    });
    for (const argv of [
      ["read", slug],
      ["describe", slug],
      ["read", slug, "--format", "csv"],
    ]) {
      const screen = await runInTerminal(argv, { columns: 80, environment: reading });
      for (const character of "\u001b\u0007\u202e") {
        expect(screen.join("\n")).not.toContain(character);
      }
    }
  });
});

const UNAVAILABLE = JSON.stringify({
  type: "about:blank",
  title: "t",
  status: 503,
  detail: "the gateway is away",
  code: "UNAVAILABLE",
  request_id: "r",
  retry_after_ms: 10,
});

describe("feedgate push", () => {
  test("a file becomes a collection; more rows are added, and a batch replaces all", async () => {
    const slug = await draft("cli-push");
    const first = await write("push", slug, await file(ndjson(rowsOf(700))));
    expect(done(first)).toContain("700 rows to cli-push");
    const more = await file(ndjson(rowsOf(600, 650)));
    expect(JSON.parse(done(await write("push", slug, more, "--json")))).toMatchObject({
      rows_received: 600,
      rows_inserted: 550,
      rows_updated: 50,
    });
    expect(linesOf(done(await read("read", slug, "--all")))).toHaveLength(1_250);
    done(await write("push", slug, more, "--batch"));
    expect(done(await read("read", slug, "--all"))).toBe(ndjson(rowsOf(600, 650)));
  });

  test("CSV takes the types of the schema, JSON keeps its digits, and a document is one", async () => {
    const schema_definition = { properties: { id: { type: "integer" }, n: { type: "number" } } };
    const slug = await draft("cli-csv", { schema_definition });
    const csv = '\ufeffid,n,city\r\n1,1.10,"a,""b"""\r\n2,,x\r\n';
    done(await write("push", slug, await file(csv, "csv")));
    const expected = '{"id":1,"n":1.10,"city":"a,\\"b\\""}\n{"id":2,"city":"x"}\n';
    expect(done(await read("read", slug))).toBe(expected);
    done(await write("push", slug, await file(csv, "csv")));
    expect(done(await read("read", slug))).toBe(expected);
    const json = await file('[ {"id":1,\n"n":12345678901234567890}, {"id":3} ]', "json");
    done(await write("push", slug, json, "--batch"));
    expect(done(await read("read", slug))).toBe('{"id":1,"n":12345678901234567890}\n{"id":3}\n');
    const document = await draft("cli-document", { feed_type: "singleton" });
    done(await write("push", document, await file('{"rate":1.10}', "json")));
    expect(done(await read("read", document))).toBe('{"rate":1.10}\n');
    ended(await write("push", document, json), 1, "takes one JSON object");
    ended(await write("push", document, json, "--batch"), 1, "only collections have batches");
  });

  test("a stream skips what it has", async () => {
    const slug = await draft("cli-stream", { feed_type: "stream" });
    done(await write("push", slug, await file(ndjson(rowsOf(5)))));
    const again = await write("push", slug, await file(ndjson(rowsOf(6))), "--json");
    expect(JSON.parse(done(again))).toMatchObject({ rows_inserted: 1, rows_duplicate: 5 });
    ended(await write("push", slug, await file("1", "txt")), 2, "unknown format");
  });

  test("sends a file again over a line that is cut", async () => {
    const slug = await draft("cli-cut", { feed_type: "stream" });
    proxy.fail("pass", "cut behind", "cut before");
    const run = await write("push", slug, await file(ndjson(rowsOf(5))), "--json");
    expect(JSON.parse(done(run))).toMatchObject({ rows_received: 5, rows_duplicate: 5 });
    const away = Array(6).fill("cut before");
    proxy.fail("pass", ...away);
    const lost = await write("push", slug, await file(ndjson(rowsOf(5))));
    ended(lost, 3, "are skipped when the file is sent again", "push cli-cut");
  });

  test("names each bad line, and what was stored", async () => {
    const slug = await draft("cli-bad", { feed_type: "collection" });
    const bad = await file('{"id":1}\n{"id":\n{"no":3}\n{"id":1}\n');
    const refused = await write("push", slug, bad);
    ended(refused, 1, "Nothing was stored", "line 2: expected a value", "line 3: has no id");
    done(await write("push", slug, await file(ndjson(rowsOf(1)))));
    ended(await write("push", slug, bad), 1, "line 2 is not JSON", "0 rows were stored");
    const late = await file(ndjson([...rowsOf(500), { id: null as never }]));
    ended(await write("push", slug, late), 1, "row 501: /id: ", "; the first 500 rows were stored");
    const typed = await file("id,n\n1,2\n2,x\n", "csv");
    const schema_definition = { properties: { n: { type: "number" } } };
    const csv = await draft("cli-bad-csv", { schema_definition, feed_type: "collection" });
    ended(await write("push", csv, typed), 1, "line 3", "n must be of type number");
    for (const text of ["id,n\n", "id,id\n1,2\n", 'id,n\n1,"a\n', "n\n1\n"]) {
      expect((await write("push", csv, await file(text, "csv"))).code).toBe(1);
    }
    ended(await write("push", csv, await file("", "csv")), 1, "is empty");
    ended(await write("push", csv, join(folder, "none.csv")), 1, "can't be read");
    ended(await write("push", csv, folder, "--format", "csv"), 1, "is a folder");
    ended(await write("push", csv, await file("x", "txt")), 2, "--format");
    ended(await write("push", csv, await file("[1", "json")), 1, "is not JSON");
    ended(await write("push", "not-mine", typed), 1);
    ended(await read("push", csv, typed), 1, "needs a write key");
    ended(await write("push", csv), 2, "expected FEED FILE|-");
  });
});

describe("feedgate feed init", () => {
  test("proposes a feed for a file, and creates its draft, which takes the file", async () => {
    const path = join(folder, "City temps-2024.csv");
    await Bun.write(path, "id,city,temp,ok,zip\n1,Lima,19.4,true,0123\n2,Tokyo,21,false,\n");
    const made = JSON.parse(done(await write("feed", "init", path, "--json")));
    expect(made).toMatchObject({
      name: "City temps 2024",
      endpoint_path: "city-temps-2024",
      feed_type: "collection",
      status: "draft",
      schema_definition: {
        type: "object",
        properties: {
          id: { type: "integer" },
          city: { type: "string" },
          temp: { type: "number" },
          ok: { type: "boolean" },
          zip: { type: "string" },
        },
        required: ["id", "city", "temp", "ok"],
      },
      sample_response: { id: 1, city: "Lima", temp: 19.4, ok: true, zip: "0123" },
    });
    done(await write("push", "city-temps-2024", path));
    expect(done(await read("read", "city-temps-2024"))).toContain(
      '"temp":19.4,"ok":true,"zip":"0123"',
    );
    ended(await write("feed", "init", path), 1, "city-temps-2024");
    const named = await write("feed", "init", path, "--slug", "cities", "--name", "Cities");
    expect(done(named)).toMatch(/slug +cities\n[\s\S]*push the rows +.*feedgate push cities /);
  });

  /** Creates a draft for rows; its slug. */
  const init = async (text: string) =>
    JSON.parse(done(await write("feed", "init", await file(text), "--json"))).endpoint_path;

  test("knows a stream and a document, and nested fields", async () => {
    const init = async (text: string, extension?: string) =>
      JSON.parse(done(await write("feed", "init", await file(text, extension), "--json")));
    const at = "2026-01-01T00:00:00Z";
    const events = [
      { id: "a", event_timestamp: at, m: { x: [1, 2.5] }, n: null },
      { id: "b", event_timestamp: at, m: {}, n: null },
    ];
    expect(await init(ndjson(events))).toMatchObject({
      feed_type: "stream",
      schema_definition: {
        properties: {
          m: { type: "object", properties: { x: { type: "array", items: { type: "number" } } } },
          n: {},
        },
      },
    });
    expect(await init('{"eur":1.1}', "json")).toMatchObject({ feed_type: "singleton" });
  });

  test("keeps every digit of sample and ids, and knows dates", async () => {
    const big = "9007199254740993";
    const slug = await init(`{"id":${big},"x":1.10,"d":"2026-01-31","t":"2026-01-01T00:00:00Z"}\n`);
    const told = done(await write("feed", "edit", slug, "--category", "c", "--json"));
    expect(told).toContain(`"sample_response":{"id":${big},"x":1.10,`);
    expect(JSON.parse(told).schema_definition).toEqual({
      type: "object",
      properties: {
        id: { type: "integer" },
        x: { type: "number" },
        d: { type: "string", format: "date" },
        t: { type: "string", format: "date-time" },
      },
      required: ["id", "x", "d", "t"],
    });
    done(await write("push", slug, await file(`{"id":${big}}\n`)));
    expect(done(await read("describe", slug))).toContain(`sample: {"id":${big},"x":1.10,`);
    for (const [extension, text] of [
      ["json", `[{"id":1,"x":${big}.5}]`],
      ["csv", `id,x\n1,${big}.5\n`],
    ] as const) {
      const sample = `"sample_response":{"id":1,"x":${big}.5}`;
      const path = await file(text, extension);
      expect(done(await write("feed", "init", path, "--json"))).toContain(sample);
    }
    const ids = await file('{"n":9007199254740992}\n{"n":9007199254740993}\n');
    ended(await write("feed", "init", ids), 1, '"n" is unique');
    const huge = await file('{"id":1,"x":1e400}\n');
    ended(await write("feed", "init", huge), 1, "line 1: /x: a number must be within the range");
  });

  test("takes a price, an interval and a lock, and says what it proposes and what comes next", async () => {
    const path = await file("id,n\n1,2\n", "csv");
    const plain = done(await write("feed", "init", path, "--slug", "cli-plain"));
    expect(plain).toMatch(/price +free; change it with --price/);
    expect(plain).toMatch(/updates +every 60 minutes; change it with --every/);
    expect(plain).toMatch(/schema +not locked, .*--lock/);
    expect(plain).toMatch(/sampled +1 row; fields that are in every row are required/);
    expect(plain).toMatch(/set a price +.*feed edit cli-plain --price 0.5\/1k/);
    expect(plain).toMatch(
      /push the rows +.*push cli-plain .*\nrequest a review +.*--request-review/,
    );
    const argv = ["--slug", "cli-priced", "--price", "2.50/1k", "--every", "1d", "--lock"];
    const made = JSON.parse(done(await write("feed", "init", path, ...argv, "--json")));
    expect(made).toMatchObject({
      price_type: "metered",
      price_per_1k: 2.5,
      sync_interval_mins: 1_440,
      schema_locked: true,
    });
    const missing = await file("id\n2\n", "csv");
    ended(await write("push", "cli-priced", missing), 1, "n");
    ended(await write("feed", "init", path, "--price", "2"), 2, "0.5/1k");
    ended(await write("feed", "init", path, "--every", "0"), 2, "at least 1m");
  });

  test("asks on a terminal first, and refuses what has no ids or no rows", async () => {
    const path = await file(ndjson(rowsOf(2)));
    const terminal = { columns: 80, environment: writing, input: "n\n" };
    const screen = (await runInTerminal(["feed", "init", path], terminal)).join("\n");
    expect(screen).toContain("Create this draft?");
    expect(screen).toContain("nothing was created");
    const noIds = await file(
      ndjson([
        { code: "a", n: 1 },
        { code: "b", n: 1 },
      ]),
    );
    ended(await write("feed", "init", noIds), 1, '"code" is unique: rename it to id');
    ended(await write("feed", "init", await file("id\n", "csv")), 1, "has no rows");
    ended(await write("feed", "init", await file("[1]", "json")), 1, "is not an object");
    ended(await read("feed", "init", path), 1, "needs a write key");
  });
});

describe("feedgate feed edit", () => {
  test("changes what is given and nothing else, and asks for a review", async () => {
    const slug = await draft("cli-edit", { description: "Old", category: "c" });
    const edit = (...argv: readonly string[]) => write("feed", "edit", slug, ...argv);
    const schema = await file('{"properties":{"id":{"maximum":9007199254740993}}}', "json");
    const texts = ["--name", "Tides", "--description", "New", "--price", "5/once"];
    const files = ["--schema", schema, "--readme", await file("# Hi", "md")];
    const told = done(await edit(...texts, ...files, "--lock", "--every", "7d"));
    expect(told).toMatch(/name +Tides\n/);
    expect(told).toMatch(/price +\$5.00 one-time\n/);
    expect(told).toMatch(/updates +weekly\n/);
    expect(told).toMatch(/schema +version 1, locked\n/);
    const all = done(await edit("--unlock", "--request-review", "--json"));
    expect(all).toContain('"schema_definition":{"properties":{"id":{"maximum":9007199254740993}}}');
    expect(JSON.parse(all)).toMatchObject({
      description: "New",
      category: "c",
      readme_md: "# Hi",
      price_type: "one_time",
      one_time_price_cents: 500,
      schema_locked: false,
      review: "waiting",
    });
    expect(done(await edit("--price", "free"))).toMatch(/price +free\n/);
    ended(await edit(), 2, "nothing to change");
    ended(await edit("--lock", "--unlock"), 2, "can't be combined");
    ended(await edit("--price", "9999999/1k"), 1, "price_per_1k");
    ended(await read("feed", "edit", slug, "--name", "x"), 1, "needs a write key");
  });
});
