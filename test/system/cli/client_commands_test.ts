/** The commands of clients in processes of their own: interrupted, piped, and on a terminal. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import {
  type Environment,
  linesOf,
  type Run,
  runFeedgate,
  spawnFeedgate,
} from "../../cli/support.ts";
import { type FaultyProxy, startFaultyProxy } from "../../support/faulty_proxy.ts";
import { temporaryFolder } from "../../support/folders.ts";
import { startTestGateway, type TestGateway } from "../../support/gateway.ts";
import { PROGRAM } from "../../support/program.ts";
import { seedFeed } from "../../support/seed.ts";

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

/** A draft of a feed; its slug. */
async function draft(name: string, fields: object = {}): Promise<string> {
  const key = writing.FEEDGATE_KEY as string;
  const body = { name, endpoint_path: name, ...fields };
  expect((await gateway.send("POST", "/v1/provider/feed/create", key, body)).status).toBe(201);
  return name;
}

test("a read follows a stream until Ctrl-C, and goes on behind it", async () => {
  const slug = await draft("cli-follow", { feed_type: "stream" });
  const events = await file(ndjson(rowsOf(3)));
  done(await write("push", slug, events));
  const child = spawnFeedgate(["read", slug, "--follow"], reading);
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let seen = "";
  while (linesOf(seen).length < 3) seen += (await reader.read()).value ?? "";
  child.kill("SIGINT");
  expect(await child.exited).toBe(3);
  const stderr = await new Response(child.stderr).text();
  const [, again = ""] = /interrupted; to resume: .*?feedgate (read .*)\n$/.exec(stderr) ?? [];
  done(await write("push", slug, await file(ndjson(rowsOf(1, 9)))));
  const next = spawnFeedgate(again.split(" "), reading);
  const nextReader = next.stdout.pipeThrough(new TextDecoderStream()).getReader();
  expect(JSON.parse((await nextReader.read()).value ?? "")).toMatchObject({ id: 9 });
  next.kill("SIGINT");
  expect(await next.exited).toBe(3);
});

test("a read shows progress on a terminal only", async () => {
  const slug = await seed(300);
  const run = async (columns: number | undefined) => {
    const shell = [...PROGRAM, "read", slug, "--all"].map((word) => `'${word}'`).join(" ");
    let screen = "";
    const child = Bun.spawn(["sh", "-c", `${shell} > '${join(folder, "out")}'`], {
      env: { PATH: process.env.PATH, ...reading } as Record<string, string>,
      ...(columns !== undefined && {
        terminal: {
          cols: columns,
          rows: 24,
          data: (_: unknown, bytes: Uint8Array) => {
            screen += Buffer.from(bytes).toString();
          },
        },
      }),
    });
    expect(await child.exited).toBe(0);
    child.terminal?.close();
    expect(await Bun.file(join(folder, "out")).text()).toBe(ndjson(rowsOf(300)));
    return screen;
  };
  expect(await run(80)).toMatch(/[\d,]+ rows, [\d,]+ rows\/s, \d+ %, \d+ s left/);
  expect(await run(undefined)).toBe("");
});

test("a push takes standard input", async () => {
  const slug = await draft("cli-piped", { feed_type: "stream" });
  const child = Bun.spawn([...PROGRAM, "push", slug, "-", "--json"], {
    env: { PATH: process.env.PATH, ...writing } as Record<string, string>,
    stdin: new Blob([ndjson(rowsOf(5))]),
    stdout: "pipe",
  });
  expect(await new Response(child.stdout).json()).toMatchObject({ rows_inserted: 5 });
});

test("a push that is interrupted leaves a collection as it was, and can go on", async () => {
  const slug = await draft("cli-interrupt", { feed_type: "collection" });
  done(await write("push", slug, await file(ndjson(rowsOf(2)))));
  const child = Bun.spawn([...PROGRAM, "push", slug, "-", "--format", "ndjson", "--batch"], {
    env: { PATH: process.env.PATH, ...writing } as Record<string, string>,
    stdin: "pipe",
    stderr: "pipe",
    stdout: "pipe",
  });
  child.stdin.write(ndjson(rowsOf(5, 100)));
  await child.stdin.flush();
  const isSent = () => proxy.seen.some(({ line }) => line.endsWith(`/import`));
  proxy.seen.length = 0;
  for (let tries = 0; !isSent() && tries < 500; tries++) await Bun.sleep(20);
  child.kill("SIGINT");
  expect(await child.exited).toBe(3);
  expect(await new Response(child.stderr).text()).toContain("readers still see the previous rows");
  expect(done(await read("read", slug))).toBe(ndjson(rowsOf(2)));
});
