/** Files and exports by the command: cut short, hostile, and large. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { CLIENT_COMMANDS } from "../../src/cli/client/client_table.ts";
import { type FaultyProxy, startFaultyProxy } from "../support/faulty_proxy.ts";
import { temporaryFolder } from "../support/folders.ts";
import { freePort } from "../support/free_port.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { seedFeed } from "../support/seed.ts";
import { type Environment, linesOf, type Run, runFeedgate } from "./support.ts";

/** Several times what comes before a line is cut. */
const ROWS = 4_000;
/** A hundred rows are a call, which costs a credit. */
const CALL_NANOS = 1_000;
const PRICE_NANOS = (ROWS / 100) * CALL_NANOS;
const FILLER = "x".repeat(1_000);

let gateway: TestGateway;
let proxy: FaultyProxy;
let owner: string;
let readerId: string;
let reading: Environment;
let writing: Environment;
const folder = temporaryFolder();

beforeAll(async () => {
  gateway = await startTestGateway({ FEEDGATE_PUSH_LIMIT: "1000" });
  proxy = await startFaultyProxy(gateway.baseUrl);
  owner = await gateway.createAccount({ name: "Owner" });
  readerId = await gateway.createAccount({ credits: 2_000_000 });
  const FEEDGATE_URL = proxy.url;
  reading = { FEEDGATE_URL, FEEDGATE_KEY: await gateway.createKey(readerId, "read") };
  writing = { FEEDGATE_URL, FEEDGATE_KEY: await gateway.createKey(owner, "write") };
});
afterAll(async () => {
  proxy.stop();
  await gateway.stop();
});

const read = (...argv: readonly string[]) => runFeedgate(argv, reading);
const write = (...argv: readonly string[]) => runFeedgate(argv, writing);

async function balance(): Promise<number> {
  const [account] = await gateway.sql`
    select balance_nanos from accounts where account_id = ${readerId}`;
  return Number(account?.balance_nanos);
}

const idsOf = (text: string) => linesOf(text).map((line) => JSON.parse(line).id);
const allIds = Array.from({ length: ROWS }, (_, id) => id);

/** More than a command makes: `fetch` makes some by itself. */
const TRIES_MAX = 20;
const away = Array<"cut before">(TRIES_MAX).fill("cut before");

let files = 0;
async function file(text: string | Uint8Array, extension: string): Promise<string> {
  files += 1;
  const path = join(folder, `file-${files}.${extension}`);
  await Bun.write(path, text);
  return path;
}

/** A collection with a row. */
async function feedOf(schema_definition: object): Promise<string> {
  feeds += 1;
  const slug = `bulk-${feeds}`;
  const fields = {
    name: slug,
    endpoint_path: slug,
    feed_type: "collection",
    schema_definition,
    schema_locked: true,
  };
  const key = writing.FEEDGATE_KEY;
  expect((await gateway.send("POST", "/v1/provider/feed/create", key, fields)).status).toBe(201);
  done(await write("push", slug, await file('{"id":7,"n":7}\n', "ndjson")));
  return slug;
}
let feeds = 0;

function done({ code, stdout, stderr }: Run): string {
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout;
}

/** The lines of standard error that say why. */
function refused({ code, stdout, stderr }: Run): string[] {
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  return linesOf(stderr);
}

/** What the command says to type. */
function goesOn(stderr: string, words = "to resume"): string[] {
  const [, again = ""] = new RegExp(`${words}: .*?feedgate (read .*)\n$`).exec(stderr) ?? [];
  return again.split(" ");
}

describe("feedgate read --all, an export", () => {
  const seed = () => {
    const rows = allIds.map((id) => ({ id, filler: FILLER }));
    return seedFeed(gateway, owner, { type: "collection", rows, callPriceNanos: CALL_NANOS });
  };

  test("ends with 3 if the gateway has gone, also when it goes on", async () => {
    const { slug } = await seed();
    const before = await balance();
    // The feed is described first.
    proxy.fail("pass", { cutAfterBytes: 1_000_000 }, ...away);
    const half = await read("read", slug, "--all");
    proxy.heal();
    expect(half.code).toBe(3);
    proxy.fail(...away);
    const still = await read(...goesOn(half.stderr));
    proxy.heal();
    expect({ code: still.code, stdout: still.stdout }).toEqual({ code: 3, stdout: "" });
    const rest = await read(...goesOn(still.stderr));
    expect(idsOf(half.stdout + rest.stdout)).toEqual(allIds);
    expect(before - (await balance())).toBe(PRICE_NANOS);
  });

  test("is charged once though its first answers were lost", async () => {
    const { slug } = await seed();
    const before = await balance();
    // Described for its columns, and for its size.
    proxy.fail("pass", "pass", ...Array<"cut behind">(TRIES_MAX).fill("cut behind"));
    const lost = await read("read", slug, "--all", "--format", "csv");
    proxy.heal();
    expect([lost.code, lost.stdout.length]).toEqual([3, 0]);
    expect(lost.stderr).toContain("0 rows written");
    const all = await read(...goesOn(lost.stderr));
    const [header, first = "", ...others] = linesOf(all.stdout);
    expect([header, first.slice(0, 3), others.length]).toEqual([
      "id,filler,_other",
      "0,x",
      ROWS - 1,
    ]);
    expect(before - (await balance())).toBe(PRICE_NANOS);
    // An array can't go on, but begins again uncharged.
    proxy.fail("pass", { cutAfterBytes: 1_000_000 }, ...away);
    const array = await read("read", slug, "--all", "--json");
    proxy.heal();
    expect([array.code, array.stderr]).toEqual([3, expect.stringContaining("array is incomplete")]);
    const whole = await read(...goesOn(array.stderr, "start over"));
    expect(JSON.parse(whole.stdout).length).toBe(ROWS);
    expect(before - (await balance())).toBe(2 * PRICE_NANOS);
  });
});

describe("feedgate push of a bad file", () => {
  const rows = '{"id":1,"n":1}\n{"id":2,"n":2}\n';
  const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, "utf16le");
  const schema_definition = { properties: { id: { type: "integer" }, n: { type: "number" } } };
  /** File, and the line that is bad; what is said of it. */
  const bad: Readonly<Record<string, readonly [string, string | Uint8Array, string]>> = {
    "NDJSON that becomes CSV": ["ndjson", `${rows}id,n\n3,4\n`, "line 3: expected a value"],
    "CSV that becomes NDJSON": ["csv", `id,n\n1,2\n${rows}`, "line 3: a quote is out of place"],
    "a value that changes its type in CSV": [
      "csv",
      "id,n\n1,2\n2,x\n",
      'line 3: n must be of type number, got "x"',
    ],
    "a value that changes its type in NDJSON": [
      "ndjson",
      `${rows}{"id":3,"n":"x"}\n`,
      "line 3: /n: must be a number",
    ],
    "an array in NDJSON": ["ndjson", '[{"id":1}]', "line 1: a row must be an object"],
    "Latin-1 in CSV": [
      "csv",
      Buffer.from("id,n\n1,2\n2,é\n", "latin1"),
      "line 3: the file is not valid UTF-8",
    ],
    "Latin-1 in NDJSON": [
      "ndjson",
      Buffer.from(`${rows}{"id":"é"}\n`, "latin1"),
      "line 3: the line is not valid UTF-8",
    ],
    "semicolons in CSV": ["csv", "id;n\n1;2\n", 'line 1: the header is one column, "id;n"'],
    "a quote that is not closed": [
      "csv",
      'id,n\n1,2\n2,"3\n',
      "line 3: a quoted value that begins here is not closed",
    ],
    "a quote out of place": ["csv", 'id,n\n1,2\n2,3"\n', "line 3: a quote is out of place"],
    "a line with too few values": [
      "csv",
      "id,n\n1,2\n3\n",
      "line 3: the line has 1 value, and the header 2",
    ],
    "no column id": ["csv", "n,m\n1,2\n", "line 1: the header has no column id"],
    "a missing id in CSV": ["csv", "id,n\n1,2\n,3\n", "line 3 has no id"],
    "a missing id in NDJSON": ["ndjson", `${rows}{"n":3}\n`, "line 3 has no id"],
    "an id twice in CSV": [
      "csv",
      "id,n\n1,2\n1,3\n",
      "line 3: /id: ids must be unique within a file",
    ],
    "an id twice in NDJSON": [
      "ndjson",
      `${rows}{"id":1}\n`,
      "line 3: /id: ids must be unique within a file",
    ],
    "zeros without a line end": [
      "ndjson",
      new Uint8Array(4_000_000),
      "line 1: the line is longer than",
    ],
  };
  for (const [name, [extension, text, message]] of Object.entries(bad)) {
    test(`${name} is refused with its line, and changes nothing`, async () => {
      const slug = await feedOf(schema_definition);
      const path = await file(text, extension);
      const [first = "", ...others] = refused(await write("push", slug, path, "--batch"));
      expect(first).toStartWith(
        `feedgate: Nothing was stored, because the file has invalid lines: ${message}`,
      );
      // Each mistake has a line, if there are more than one.
      expect(others.length).not.toBe(1);
      const added = refused(await write("push", slug, path));
      expect(added).toEqual([
        expect.stringMatching(/^feedgate: (line|row) \d.*(0 rows were|nothing was) stored$/),
      ]);
      expect(done(await read("read", slug))).toBe('{"id":7,"n":7}\n');
    });
  }

  for (const [name, extension, text, kind] of [
    ["UTF-16 in CSV", "csv", utf16("id,n\r\n1,2\r\n"), "is in UTF-16"],
    ["UTF-16 in NDJSON", "ndjson", utf16(rows), "is in UTF-16"],
    ["gzip that is no CSV", "csv", gzipSync("id,n\n1,2\n"), "is compressed with gzip"],
  ] as const) {
    test(`${name} is refused with what it is, and changes nothing`, async () => {
      const slug = await feedOf(schema_definition);
      const path = await file(text, extension);
      for (const more of [[], ["--batch"]]) {
        const lines = refused(await write("push", slug, path, ...more));
        expect(lines).toEqual([expect.stringContaining(kind)]);
      }
      expect(done(await read("read", slug))).toBe('{"id":7,"n":7}\n');
    });
  }

  for (const [extension, text] of [
    ["ndjson", ""],
    ["ndjson", "\ufeff"],
    ["ndjson", "\n \r\n"],
    ["csv", ""],
    ["csv", "\ufeff"],
    ["csv", "id,n\r\n"],
    ["json", "[]"],
  ] as const) {
    test(`a file without rows is refused: ${extension} of ${JSON.stringify(text)}`, async () => {
      const slug = await feedOf(schema_definition);
      const path = await file(text, extension);
      for (const more of [[], ["--batch"]]) {
        const lines = refused(await write("push", slug, path, ...more));
        expect(lines).toEqual([expect.stringMatching(/is empty$|has no rows/)]);
      }
      expect(done(await read("read", slug))).toBe('{"id":7,"n":7}\n');
    });
  }

  test("what is no JSON, and what is no file of rows, is one line", async () => {
    const slug = await feedOf(schema_definition);
    const said = async (text: string | Uint8Array) =>
      refused(await write("push", slug, await file(text, "json")));
    expect(await said(Buffer.from('["é"]', "latin1"))).toEqual([
      expect.stringContaining("is not valid UTF-8"),
    ]);
    expect(await said('[{"id":1},')).toEqual([expect.stringContaining("is not JSON")]);
    expect(await said("3")).toEqual([
      expect.stringContaining("neither an array of rows nor an object"),
    ]);
    expect(await said('{"n":1}')).toEqual([expect.stringContaining("has no id")]);
    const two = refused(await write("push", slug, await file('{"n":1}\n{"n":2}\n', "ndjson")));
    expect(two).toEqual([
      "feedgate: some rows of the file were refused; nothing was stored",
      expect.stringContaining("row 1: has no id"),
      expect.stringContaining("row 2: has no id"),
    ]);
  });

  test("byte order marks and CRLF are no mistakes", async () => {
    const slug = await feedOf(schema_definition);
    for (const [extension, text] of [
      ["ndjson", `\ufeff${rows.replaceAll("\n", "\r\n")}`],
      ["csv", "\ufeffid,n\r\n1,1\r\n2,2"],
      ["csv", 'id,n\r1,1\r"2",2\r'],
      ["json", '\ufeff[{"id":1,"n":1},\r\n{"id":2,"n":2}]'],
    ] as const) {
      done(await write("push", slug, await file(text, extension), "--batch"));
      expect(done(await read("read", slug))).toBe(rows);
    }
  });
});

describe("a gateway that is away, or a key of the wrong kind", () => {
  test("ends every command with 3, one line and the command to run again, and what a lost answer leaves open", async () => {
    const path = await file('{"id":1}\n', "ndjson");
    const FEEDGATE_URL = `http://127.0.0.1:${freePort()}`;
    const id = crypto.randomUUID();
    /** Arguments, and what may have been done. */
    const commands: Readonly<Record<string, readonly [string, string?]>> = {
      "feed init": [path, "its slug is in use"],
      "feed edit": ["x --name y"],
      search: ["x y --limit 2"],
      describe: ["x"],
      buy: ["x --max-credits 1", "charged only once"],
      "access request": ["x", "feedgate access mine shows"],
      "access mine": [""],
      read: ["x"],
      push: [`x ${path}`],
      "webhook list": [""],
      "webhook add": ["https://example.com --types balance.low", "feedgate webhook list shows"],
      "webhook edit": [`${id} --off`],
      "webhook remove": [id],
      "webhook test": [id],
      "webhook rotate": [id, "the secret may have been replaced"],
      "webhook deliveries": [id],
      "webhook resend": [id],
    };
    const named = CLIENT_COMMANDS.map(({ words }) => words);
    expect(Object.keys(commands).toSorted()).toEqual(named.toSorted());
    const cases = [
      ...Object.entries(commands).map(([words, [rest, open]]) => [`${words} ${rest}`, open]),
      ...["read x --all", "read x --all --filter a=b", "read x --all --cursor c"].map((argv) => [
        argv,
      ]),
      ...["read x --follow", "read x --format csv"].map((argv) => [argv]),
    ] as const;
    const runs = cases.map(async ([line = "", open = ""]) => {
      const argv = line.trim();
      const run = await runFeedgate(argv.split(" "), { ...writing, FEEDGATE_URL });
      expect({ argv, code: run.code, stdout: run.stdout }).toEqual({ argv, code: 3, stdout: "" });
      expect(linesOf(run.stderr)).toEqual([
        expect.stringMatching(/^feedgate: http:\S+ can't be reached[;:] .*: (\S+ )*feedgate /),
      ]);
      expect(run.stderr).toContain(open);
      expect(run.stderr).toEndWith(`feedgate ${argv.replace("a=b", '"a=b"')}\n`);
    });
    await Promise.all(runs);
  });

  test("a proxy without its gateway, and a limit that lasts, are the same", async () => {
    const html = Array(TRIES_MAX).fill({ status: 502, body: "<html>\nBad Gateway" });
    proxy.fail(...html);
    const refused = await read("buy", "x", "--max-credits", "1");
    proxy.heal();
    expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining("502 <html>; Bad")]);
    const problem = { type: "about:blank", title: "t", status: 429, code: "RATE_LIMITED" };
    const body = JSON.stringify({ ...problem, detail: "wait", request_id: "r" });
    proxy.fail({ status: 429, headers: { "Retry-After": "3600" }, body });
    const limited = await read("buy", "x", "--max-credits", "1");
    // The gateway did nothing, so nothing is open.
    expect([limited.code, limited.stderr]).toEqual([
      3,
      expect.stringMatching(
        /^feedgate: wait; to run it again: .*feedgate buy x --max-credits 1\n$/,
      ),
    ]);
  });

  test("a key of the wrong kind is one line and 1", async () => {
    const path = await file('{"id":1}\n', "ndjson");
    const { slug } = await seedFeed(gateway, owner, {
      type: "stream",
      rows: [{ id: 1, event_timestamp: "2026-01-01T00:00:00Z" }],
    });
    for (const argv of [
      ["read", slug],
      ["read", slug, "--all"],
      ["read", slug, "--follow"],
      ["describe", slug],
    ]) {
      expect(refused(await write(...argv))).toEqual([expect.stringContaining("needs a read key")]);
    }
    for (const argv of [
      ["push", slug, path],
      ["feed", "init", path],
    ]) {
      expect(refused(await read(...argv))).toEqual([expect.stringContaining("needs a write key")]);
    }
  });
});
