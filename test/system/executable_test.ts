/**
 * The executable, in folders that have nothing and with an environment that names nothing: no Bun, no
 * Node, no PostgreSQL.
 *
 * @module
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { firstLine, runFeedgate } from "../cli/support.ts";

const ROOT = resolve(import.meta.dir, "../..");
const BINARY = resolve(ROOT, process.env.FEEDGATE_BINARY ?? "dist/feedgate");
const START_MS_MAX = 30_000;
const BYTES_PER_MB = 1_000_000;

const folders: string[] = [];

beforeAll(async () => {
  if (process.env.FEEDGATE_BINARY !== undefined) return;
  const build = Bun.spawn([process.execPath, "src/build/build.ts"], {
    cwd: ROOT,
    stdio: ["ignore", "ignore", "inherit"],
  });
  expect(await build.exited).toBe(0);
}, 300_000);

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "feedgate-binary-"));
  // Reachable for the account that PostgreSQL runs as where the tests run as root.
  chmodSync(folder, 0o755);
  folders.push(folder);
  return folder;
}

/** Where a start in a folder unpacks PostgreSQL, when the folder is its home. */
function cacheOf(home: string): string {
  return join(home, ".cache", "feedgate");
}

/** What root is told when PostgreSQL is unpacked into a folder, and others are not. */
function unpackedInto(folder: string) {
  if (process.getuid?.() !== 0) return "";
  return expect.stringMatching(
    new RegExp(
      `^feedgate: unpacking PostgreSQL into ${RegExp.escape(folder)}/postgres-[^ ]+ \\(only once\\)\n$`,
    ),
  );
}

interface SpawnOptions {
  readonly cwd: string;
  /** @default cwd */
  readonly home?: string;
}

function spawn(argv: readonly string[], { cwd, home = cwd }: SpawnOptions) {
  return Bun.spawn([BINARY, ...argv], {
    cwd,
    env: { HOME: home },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
}

async function run(argv: readonly string[], options: SpawnOptions) {
  const child = spawn(argv, options);
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { code, stdout, stderr };
}

/** The server of a data directory, by its own file. */
function postgresPid(dataDir: string): number {
  return Number(readFileSync(join(dataDir, "pg18", "postmaster.pid"), "utf8").split("\n")[0]);
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as { code?: string }).code === "EPERM";
  }
}

async function paste(line: string): Promise<Record<string, unknown>> {
  const shell = Bun.spawn(["sh", "-c", line], { stdout: "pipe", stderr: "inherit" });
  const text = await new Response(shell.stdout).text();
  expect(await shell.exited).toBe(0);
  return JSON.parse(text);
}

describe("the build", () => {
  test("two clones of a commit build the same bytes", async () => {
    // The executable that the tests run on is one of the two, unless it was built from files that are in no commit.
    const { stdout } = Bun.spawnSync(["git", "status", "--porcelain"], { cwd: ROOT });
    const built = stdout.length === 0 ? digestOf(BINARY) : buildClone("clone");
    expect(buildClone("another place/clone")).toBe(built);
  }, 600_000);
});

/** Builds the commit in a clone. Returns the digest of its executable. */
function buildClone(name: string): string {
  // Where hard links are possible, so that each clone has packages of its own.
  const clones = join(ROOT, "dist", "clones");
  folders.push(clones);
  const clone = join(clones, name);
  rmSync(clone, { recursive: true, force: true });
  mkdirSync(clone, { recursive: true });
  for (const command of [
    ["git", "clone", "--quiet", ROOT, clone],
    ["cp", "-al", join(ROOT, "node_modules"), join(clone, "node_modules")],
    [process.execPath, join(clone, "src/build/build.ts")],
  ]) {
    const { success, stderr } = Bun.spawnSync(command);
    if (!success) throw new Error(`${command.join(" ")}: ${stderr}`);
  }
  return digestOf(join(clone, "dist/feedgate"));
}

function digestOf(path: string): string {
  return new Bun.CryptoHasher("sha256").update(readFileSync(path)).digest("hex");
}

describe("the executable", () => {
  test("a command of an agent starts without the server: in a small part of a second's work", async () => {
    const child = spawn(["search", "gold", "--url", "ftp"], { cwd: emptyFolder() });
    expect(await child.exited).toBe(2);
    // Processor time, so that a busy machine changes little. It takes 20 ms, and all of the program 130.
    expect(Number(child.resourceUsage()?.cpuTime.total)).toBeLessThan(500_000);
  });

  test("the executable shows its version, and helps with every command", async () => {
    const { version } = await Bun.file(join(ROOT, "package.json")).json();
    const cwd = emptyFolder();
    const answers = await Promise.all(
      [
        ["--version"],
        ["--help"],
        ["demo", "--help"],
        ["account", "create", "--help"],
        ["licenses"],
      ].map((argv) => run(argv, { cwd })),
    );
    expect(answers.map(({ code, stderr }) => [code, stderr])).toEqual(answers.map(() => [0, ""]));
    const git = Bun.spawnSync(["git", "rev-parse", "--short=12", "HEAD"], { cwd: ROOT });
    const commit = git.success ? ` (${git.stdout.toString().trim()}` : "\n";
    expect(answers[0]?.stdout).toStartWith(`feedgate ${version}${commit}`);
    expect(answers[1]?.stdout).toContain(`Usage: ${BINARY} <command>`);
    expect(answers[3]?.stdout).toContain("--name S");
    expect(answers[4]?.stdout).toBe((await runFeedgate(["licenses"], {})).stdout);
    expect(readdirSync(cwd)).toEqual([]);
    console.log(`size ${(statSync(BINARY).size / BYTES_PER_MB).toFixed(1)} MB`);
  });

  test("the executable's demo works in an empty folder, and a signal leaves no PostgreSQL", async () => {
    const cwd = emptyFolder();
    const child = spawn(["demo", "--port", "0", "--json"], { cwd });
    try {
      const sheet = JSON.parse(await firstLine(child.stdout)) as {
        base_url: string;
        write_key: string;
        feeds: { id: string; endpoint_path: string }[];
        curl: [string, string, string, string, string];
      };
      const pid = postgresPid(join(cwd, ".feedgate"));
      // The fourth follows a stream, and ends only with Ctrl-C.
      const [search, metadata, page, , push] = sheet.curl;
      expect(await paste(search)).toMatchObject({
        results: [{ endpoint_path: "gold-prices" }],
      });
      expect(await paste(metadata)).toMatchObject({ price_per_1k: 0.001 });
      expect(await paste(page)).toMatchObject({ data: [{}, {}], has_more: true });
      expect(await paste(push)).toMatchObject({ rows_inserted: 1 });
      // Files of the docs, and the worker that schemas are checked in, are inside.
      const front = await fetch(sheet.base_url, { headers: { accept: "text/html" } });
      const assets = [...(await front.text()).matchAll(/"\.(\/assets\/[^"]+)"/g)];
      expect(assets.length).toBeGreaterThan(2);
      const paths = [
        "/docs",
        "/docs/json",
        "/docs/assets/swagger-ui-bundle.js",
        "/docs/assets/swagger-ui.css",
        "/console/sign-in",
        ...assets.map(([, path]) => path),
      ];
      for (const path of paths) {
        const response = await fetch(sheet.base_url + path);
        expect([path, response.status]).toEqual([path, 200]);
        expect((await response.bytes()).length).toBeGreaterThan(200);
      }
      const feed = sheet.feeds.find(({ endpoint_path }) => endpoint_path === "earthquakes");
      const edited = await fetch(`${sheet.base_url}/v1/provider/feed/${feed?.id}/edit`, {
        method: "PATCH",
        headers: {
          authorization: `Bearer ${sheet.write_key}`,
          "content-type": "application/json",
        },
        body: JSON.stringify({ schema_definition: { type: "no such type" } }),
      });
      expect([edited.status, await edited.json()]).toMatchObject([422, { code: "SCHEMA_INVALID" }]);
      child.kill("SIGTERM");
      expect(await child.exited).toBe(0);
      expect(isRunning(pid)).toBe(false);
    } finally {
      child.kill("SIGKILL");
    }
  });

  test("the executable serves from several processes", async () => {
    const cwd = emptyFolder();
    const child = spawn(["serve", "--port", "0", "--workers", "2", "--json"], { cwd });
    try {
      const { base_url } = JSON.parse(await firstLine(child.stdout)) as { base_url: string };
      expect((await fetch(`${base_url}/readyz`)).status).toBe(200);
      child.kill("SIGTERM");
      expect(await child.exited).toBe(0);
    } finally {
      child.kill("SIGKILL");
    }
  });

  test(
    "several first starts of the executable at once unpack PostgreSQL once; a cache that lost a file is mended",
    async () => {
      const home = emptyFolder();
      const starts = [1, 2, 3].map(() => {
        const cwd = emptyFolder();
        return { cwd, answer: run(["migrate"], { cwd, home }) };
      });
      let said = "";
      for (const { cwd, answer } of starts) {
        const { code, stderr } = await answer;
        expect(code).toBe(0);
        said += stderr;
        expect(existsSync(join(cwd, ".feedgate", "pg18", "postmaster.pid"))).toBe(false);
      }
      // One of them unpacks.
      expect(said).toEqual(unpackedInto(cacheOf(home)));
      const [name, ...others] = readdirSync(cacheOf(home)).sort();
      expect(others).toEqual([`${name}.lock`]);
      const broken = join(cacheOf(home), name as string, "bin", "postgres");
      const bytes = statSync(broken).size;
      truncateSync(broken, 1);
      const { code, stderr } = await run(["migrate"], { cwd: emptyFolder(), home });
      expect([code, stderr]).toEqual([0, unpackedInto(cacheOf(home))]);
      expect(statSync(broken).size).toBe(bytes);
      expect(readdirSync(cacheOf(home)).sort()).toEqual([`${name}`, `${name}.lock`]);
    },
    4 * START_MS_MAX,
  );

  test("if its cache can't be written to, the executable's PostgreSQL is unpacked elsewhere", async () => {
    const cwd = emptyFolder();
    const home = join(cwd, "file");
    mkdirSync(join(home, ".cache"), { recursive: true });
    await Bun.write(join(home, ".cache", "feedgate"), "in the way");
    const { code, stderr } = await run(["migrate"], { cwd, home });
    expect([code, stderr]).toEqual([0, expect.not.stringContaining(home)]);
  });

  test("how long the executable takes to start is printed", async () => {
    const cwd = emptyFolder();
    const times: string[] = [];
    for (const kind of ["first", "second", "third"]) {
      const startedMs = performance.now();
      const child = spawn(["serve", "--port", "0"], { cwd });
      await firstLine(child.stdout);
      times.push(`${kind} ${((performance.now() - startedMs) / 1_000).toFixed(2)} s`);
      child.kill("SIGTERM");
      expect(await child.exited).toBe(0);
    }
    console.log(`start to serving: ${times.join(", ")}`);
  });
});
