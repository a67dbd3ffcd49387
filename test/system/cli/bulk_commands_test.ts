/** Exports by the command in a process of its own: interrupted, and into a pipe that closes. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { type Environment, linesOf, runFeedgate, spawnFeedgate } from "../../cli/support.ts";
import { temporaryFolder } from "../../support/folders.ts";
import { startTestGateway, type TestGateway } from "../../support/gateway.ts";
import { PROGRAM } from "../../support/program.ts";
import { seedFeed } from "../../support/seed.ts";

/** More than pipes and sockets hold, so that an export waits for its reader. */
const ROWS = 20_000;
/** A hundred rows are a call, which costs a credit. */
const CALL_NANOS = 1_000;
const PRICE_NANOS = (ROWS / 100) * CALL_NANOS;
const FILLER = "x".repeat(1_000);

let gateway: TestGateway;
let owner: string;
let readerId: string;
let reading: Environment;
const folder = temporaryFolder();

beforeAll(async () => {
  gateway = await startTestGateway({ FEEDGATE_PUSH_LIMIT: "1000" });
  owner = await gateway.createAccount({ name: "Owner" });
  readerId = await gateway.createAccount({ credits: 2_000_000 });
  const FEEDGATE_URL = gateway.baseUrl;
  reading = { FEEDGATE_URL, FEEDGATE_KEY: await gateway.createKey(readerId, "read") };
});
afterAll(() => gateway.stop());

const read = (...argv: readonly string[]) => runFeedgate(argv, reading);

async function balance(): Promise<number> {
  const [account] = await gateway.sql`
    select balance_nanos from accounts where account_id = ${readerId}`;
  return Number(account?.balance_nanos);
}

const idsOf = (text: string) => linesOf(text).map((line) => JSON.parse(line).id);
const allIds = Array.from({ length: ROWS }, (_, id) => id);

/** What the command says to type. */
function goesOn(stderr: string, words = "to resume"): string[] {
  const [, again = ""] = new RegExp(`${words}: .*?feedgate (read .*)\n$`).exec(stderr) ?? [];
  return again.split(" ");
}

const seed = () => {
  const rows = allIds.map((id) => ({ id, filler: FILLER }));
  return seedFeed(gateway, owner, { type: "collection", rows, callPriceNanos: CALL_NANOS });
};

test("ends with 3 at Ctrl-C, says how to go on, and gives each row once for one charge", async () => {
  const { slug } = await seed();
  const before = await balance();
  const child = spawnFeedgate(["read", slug, "--all"], reading);
  const stderr = new Response(child.stderr).text();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let seen = (await reader.read()).value ?? "";
  child.kill("SIGINT");
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    seen += value;
  }
  expect(await child.exited).toBe(3);
  const rest = await read(...goesOn(await stderr));
  expect({ code: rest.code, stderr: rest.stderr }).toEqual({ code: 0, stderr: "" });
  expect(idsOf(seen).length).toBeLessThan(ROWS);
  expect(idsOf(seen + rest.stdout)).toEqual(allIds);
  expect(before - (await balance())).toBe(PRICE_NANOS);
});

describe("feedgate read into a pipe that closes", () => {
  for (const argv of [
    ["--all"],
    ["--all", "--format", "csv"],
    ["--all", "--json"],
    ["--limit", "100"],
  ]) {
    test(`${argv.join(" ")} ends with 0 and without a word`, async () => {
      const { slug } = await seedFeed(gateway, owner, {
        type: "collection",
        rows: allIds.map((id) => ({ id, filler: FILLER })),
      });
      const shell = [...PROGRAM, "read", slug, ...argv].map((word) => `'${word}'`).join(" ");
      const said = join(folder, "said");
      const child = Bun.spawn(
        ["sh", "-c", `(${shell}; echo "code $?" >&2) 2> '${said}' | head -1`],
        {
          env: { PATH: process.env.PATH, ...reading } as Record<string, string>,
          stdout: "pipe",
        },
      );
      const [line = ""] = linesOf(await new Response(child.stdout).text());
      await child.exited;
      expect(line.length).toBeGreaterThan(0);
      expect(await Bun.file(said).text()).toBe("code 0\n");
    });
  }
});
