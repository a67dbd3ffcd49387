/**
 * `bun run fixture PROGRAM`: has a release make the data folder and the backup that `test/system/release_test.ts`
 * starts this program on, and writes them to a folder of its version in `test/fixtures/release`.
 *
 * PROGRAM is the release: its executable, or the `src/main.ts` of its checkout. It is run as a user runs it, by its
 * commands and over HTTP. Run this once for each release, on Linux, and commit what it writes.
 *
 * @module
 */
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { connect } from "../../src/postgres/client/connect.ts";
import { FEEDS, type Release, type ReleasedFeed, releaseFiles } from "./scene.ts";

/** The best that zstd has; it takes half a minute. */
const ZSTD_LEVEL = 22;

const [given] = process.argv.slice(2);
if (given === undefined) {
  console.error(
    "usage: bun run fixture PROGRAM: a release's executable, or the src/main.ts of its checkout",
  );
  process.exit(2);
}
const path = resolve(given);
const program = path.endsWith(".ts") ? [process.execPath, path] : [path];
const home = mkdtempSync(join(tmpdir(), "feedgate-release-"));
// Reachable for the account that PostgreSQL runs as, if this is root.
chmodSync(home, 0o755);
const dataDir = join(home, "folder");
const environment = { PATH: process.env.PATH, HOME: home, FEEDGATE_DATA_DIR: dataDir };

// `feedgate 0.2.0 (28c865b1c2d3)`
const version = (await run("--version")).trim();
const files = releaseFiles(version.split(" ")[1] ?? "");

try {
  rmSync(files.folder, { recursive: true, force: true });
  mkdirSync(files.folder, { recursive: true });
  const release = await makeRelease();
  await Bun.write(files.release, `${JSON.stringify(release, null, 2)}\n`);
  await packFolder();
} finally {
  rmSync(home, { recursive: true, force: true });
}

async function makeRelease(): Promise<Release> {
  const serving = Bun.spawn([...program, "serve", "--port", "0", "--json"], {
    env: environment,
    stdout: "pipe",
    stderr: "ignore",
  });
  try {
    const { value } = await serving.stdout.getReader().read();
    const { base_url: baseUrl } = JSON.parse(new TextDecoder().decode(value));
    const { id: providerId } = await command("account", "create", "--name", "Old provider");
    const { id: accountId } = await command("account", "create", "--name", "Old reader");
    const keyOf = async (account: string, permission: string): Promise<string> =>
      (await command("key", "create", "--account", account, "--permission", permission)).key;
    const writeKey = await keyOf(providerId, "write");
    const readKey = await keyOf(accountId, "read");
    await command(
      ...["credits", "grant", "--account", accountId, "--credits", "5000000"],
      ...["--reason", "old"],
    );
    const feeds: Record<string, ReleasedFeed> = {};
    for (const [slug, { fields, payload }] of Object.entries(FEEDS)) {
      const send = async (address: string, body: unknown) => {
        const response = await fetch(`${baseUrl}/v1/provider/feed/${address}`, {
          method: "POST",
          headers: { "Content-Type": "application/json", Authorization: `Bearer ${writeKey}` },
          body: JSON.stringify(body),
        });
        return await answerOf(response);
      };
      const { id } = await send("create", {
        ...fields,
        endpoint_path: slug,
        description: "Made by a release.",
        category: "tests",
      });
      await send(`${id}/push`, payload);
      await command("feed", "publish", slug);
      if (fields.price_type === "one_time") {
        await command("purchase", "record", "--account", accountId, "--feed", slug);
      }
      const read = async (query: string) =>
        await answerOf(
          await fetch(`${baseUrl}/v1/feed/${slug}${query}`, { headers: { "x-api-key": readKey } }),
        );
      const { data } = await read("");
      const { next_cursor: cursor } = Array.isArray(data) ? await read("?limit=1") : {};
      feeds[slug] = { id, data, ...(cursor && { cursor }) };
    }
    const { balance_credits: balanceCredits } = await command("account", "show", accountId);
    await command("backup", files.backup);
    await keepLittleWal();
    return { version, accountId, readKey, writeKey, balanceCredits, feeds };
  } finally {
    serving.kill("SIGTERM");
    await serving.exited;
  }
}

/** The rest of the log is then a few records in a file of its own, and zeros. */
async function keepLittleWal(): Promise<void> {
  const sockets = encodeURIComponent(join(dataDir, "sock"));
  const sql = connect({ url: `postgres://postgres@localhost/feedgate?host=${sockets}` });
  await sql`select pg_switch_wal()`;
  await sql`checkpoint`;
  await sql.end();
}

async function packFolder(): Promise<void> {
  const cluster = readdirSync(dataDir).find((name) => /^pg\d+$/.test(name)) ?? "";
  const log = join(dataDir, cluster, "pg_wal");
  // Older files wait to be used again, under names behind the current one.
  const [, ...unused] = readdirSync(log)
    .filter((name) => /^[0-9A-F]{24}$/.test(name))
    .sort();
  for (const name of unused) rmSync(join(log, name));
  const same = ["--sort=name", "--mtime=@0", "--owner=0", "--group=0", "--numeric-owner"];
  const tar = spawnSync("tar", ["-C", home, ...same, "--exclude=sock", "-cf", "-", "folder"], {
    maxBuffer: 1_024 ** 3,
  });
  if (tar.status !== 0) throw new Error(`tar: ${tar.stderr}`);
  await Bun.write(files.dataDir, Bun.zstdCompressSync(tar.stdout, { level: ZSTD_LEVEL }));
}

async function run(...argv: readonly string[]): Promise<string> {
  const child = Bun.spawn([...program, ...argv], {
    env: environment,
    stdout: "pipe",
    stderr: "inherit",
  });
  const text = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error(`${argv.join(" ")} failed`);
  return text;
}

async function command(...argv: readonly string[]) {
  return JSON.parse(await run(...argv, "--json"));
}

async function answerOf(response: Response) {
  const body = await response.json();
  if (!response.ok) throw new Error(JSON.stringify(body));
  return body as Awaited<ReturnType<typeof command>>;
}
