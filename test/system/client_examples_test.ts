/** The agents of `src/client/examples`, against a gateway with a free, a metered and a one-time feed. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, renameSync } from "node:fs";
import { join, resolve } from "node:path";
import { buildClient } from "../../src/build/client_package.ts";
import { temporaryFolder } from "../support/folders.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { seedFeed } from "../support/seed.ts";

const EXAMPLES = resolve(import.meta.dir, "../../src/client/examples");
const DENO = Bun.which("deno");
const PYTHON = Bun.which("python3");
const hasRequests =
  PYTHON !== null && spawnSync(PYTHON, ["-c", "import requests"], { stdio: "ignore" }).status === 0;
if (DENO === null) console.log("skipped: Deno is not installed");
if (!hasRequests) console.log("skipped: Python's requests (Debian: python3-requests) is not there");

const CREDITS_PER_USD = 1_000_000;
let gateway: TestGateway;
let project: string;

beforeAll(async () => {
  gateway = await startTestGateway();
  const owner = await gateway.createAccount();
  const rows = [{ id: 1 }, { id: 2 }, { id: 3 }, { id: 4 }];
  const seed = { type: "collection", rows, isPublic: true } as const;
  await seedFeed(gateway, owner, { ...seed, name: "Tides free" });
  await seedFeed(gateway, owner, { ...seed, name: "Tides metered", callPriceNanos: 2_000_000 });
  await seedFeed(gateway, owner, { ...seed, name: "Tides bought", oneTimePriceCents: 100 });
  await seedFeed(gateway, owner, { ...seed, name: "Tides dear", oneTimePriceCents: 9_000 });
  project = temporaryFolder();
  mkdirSync(join(project, "node_modules"));
  renameSync(
    await buildClient(join(temporaryFolder(), "client")),
    join(project, "node_modules/feedgate"),
  );
  copyFileSync(join(EXAMPLES, "agent.ts"), join(project, "agent.ts"));
  copyFileSync(join(EXAMPLES, "agent.py"), join(project, "agent.py"));
  await Bun.write(
    join(project, "package.json"),
    '{"type":"module","dependencies":{"feedgate":"*"}}',
  );
  // Node runs TypeScript since 22.18 only.
  const source = await Bun.file(join(EXAMPLES, "agent.ts")).text();
  const script = new Bun.Transpiler({ loader: "ts" }).transformSync(source);
  await Bun.write(join(project, "agent.js"), script);
});
afterAll(() => gateway.stop());

/** Runs an agent of a new account with 10 USD, and gives what it prints, and what it was charged. */
async function runAgent(command: readonly string[], usd: string) {
  const account = await gateway.createAccount({ credits: 10 * CREDITS_PER_USD });
  const key = await gateway.createKey(account, "read");
  const child = Bun.spawn([...command, "tides", usd], {
    cwd: project,
    env: { ...process.env, FEEDGATE_URL: gateway.baseUrl, FEEDGATE_KEY: key, NO_COLOR: "1" },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  const response = await gateway.get("/v1/account", key);
  const { balance } = (await response.json()) as { balance: { credits: number } };
  const charged = 10 * CREDITS_PER_USD - balance.credits;
  return { code: await child.exited, err, lines: out.trim().split("\n").sort(), charged };
}

const ROWS = '[{"id":1},{"id":2},{"id":3}]';

describe.each([
  ["TypeScript on Bun", [process.execPath, "agent.ts"], true],
  ["TypeScript on Node", ["node", "agent.js"], Bun.which("node") !== null],
  [
    "TypeScript on Deno",
    ["deno", "run", "--allow-net", "--allow-env", "--no-lock", "--quiet", "agent.ts"],
    DENO !== null,
  ],
  ["Python", ["python3", "agent.py"], hasRequests],
] as const)("an agent in %s", (_, command, isThere) => {
  test.skipIf(!isThere)("reads and buys within its budget, and says what it left out", async () => {
    const { lines, ...ended } = await runAgent(command, "1.5");
    expect(ended).toEqual({ code: 0, err: "", charged: 1_002_000 });
    expect(lines).toEqual([
      "498000 credits of the budget are left",
      `Tides bought: ${ROWS}`,
      expect.stringMatching(/^Tides dear: (?:costs 90000000 credits|PRICE_ABOVE_MAX)/),
      `Tides free: ${ROWS}`,
      `Tides metered: ${ROWS}`,
    ]);
  });

  test.skipIf(!isThere)("spends nothing without a budget", async () => {
    const { lines, ...ended } = await runAgent(command, "0");
    expect(ended).toEqual({ code: 0, err: "", charged: 0 });
    expect(lines).toContain(`Tides free: ${ROWS}`);
    expect(lines.filter((line) => line.includes(ROWS))).toHaveLength(1);
  });
});
