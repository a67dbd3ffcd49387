import { afterEach, describe, expect, test } from "bun:test";
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import type { Subprocess } from "bun";
import { connect, type DatabaseAddress } from "../../src/postgres/client/connect.ts";
import { type EmbeddedPostgres, startEmbedded } from "../../src/postgres/embedded/start.ts";
import { runFeedgate } from "../cli/support.ts";
import { usedDataDir } from "../support/folders.ts";
import { findProcesses, isRunning, listProcesses, waitFor } from "../support/processes.ts";

const PACKAGE = resolve(import.meta.dir, "../../package.json");
const MODULE = resolve(import.meta.dir, "../../src/postgres/embedded/start.ts");
const OWNER_MODULE = resolve(import.meta.dir, "../../src/postgres/embedded/owner.ts");
const LONG_NAME = `${"long".repeat(20)}/${"path".repeat(20)}`;
/** However the gateway ends, PostgreSQL has gone or is taken over after this long. */
const ABANDONED_MS_MAX = 15_000;
const NOBODY = 65534;
const isRoot = process.getuid?.() === 0;
if (!isRoot) console.log("skipped: switching accounts and unreachable directories need root");
/** A Bun that every account may run: one that `npx` brought is in root's own folder. */
const BUN = [process.execPath, resolve(import.meta.dir, "../../node_modules/bun/bin/bun.exe")].find(
  isOpenToAll,
);
const canSwitch = isRoot && BUN !== undefined && isOpenToAll(MODULE);
if (isRoot && !canSwitch) {
  console.log("skipped: switching accounts needs the project in a folder that all may enter");
}

function isOpenToAll(path: string): boolean {
  if (!existsSync(path)) return false;
  for (let at = realpathSync(path); at !== "/"; at = dirname(at)) {
    if ((lstatSync(at).mode & 0o001) === 0 && at !== path) return false;
  }
  return true;
}

type Child = Subprocess<"pipe", "pipe", "inherit">;
const parents = new Map<string, string>();
const children: Child[] = [];

afterEach(async () => {
  for (const child of children.splice(0)) {
    child.kill("SIGKILL");
    await child.exited;
  }
  for (const [dataDir, parent] of parents) await cleanUp(dataDir, parent);
  parents.clear();
});

/** A data directory that does not exist yet, in a directory that every account may enter. */
function newDataDir(name = "data"): string {
  const parent = realpathSync(mkdtempSync(join(tmpdir(), "feedgate-test-")));
  chmodSync(parent, 0o755);
  const dataDir = join(parent, name);
  parents.set(dataDir, parent);
  return dataDir;
}

/** Whatever a failed test left: the server ends first, so that its directory can go. */
async function cleanUp(dataDir: string, parent: string): Promise<void> {
  const pid = serverPid(dataDir);
  if (pid !== undefined) await killAndWait(pid);
  const cluster = join(dataDir, "pg18");
  if (lstatSync(cluster, { throwIfNoEntry: false })?.isSymbolicLink()) {
    rmSync(dirname(readlinkSync(cluster)), { recursive: true, force: true });
  }
  rmSync(parent, { recursive: true, force: true });
}

function serverPid(dataDir: string): number | undefined {
  const file = join(dataDir, "pg18", "postmaster.pid");
  if (!existsSync(file)) return undefined;
  const pid = Number.parseInt(readFileSync(file, "utf8"), 10);
  return findProcesses(`${pid} `, `postgres -D ${dataDir}`).includes(pid) ? pid : undefined;
}

async function killAndWait(pid: number): Promise<void> {
  process.kill(pid, "SIGKILL");
  await waitFor(() => !isRunning(pid), 20_000);
}

/** The keeper of a data directory's server, and its part that waits for the users' end. */
function keepersOf(dataDir: string): number[] {
  return findProcesses("feedgate-keeper", ` ${dataDir}/pg18 `);
}

/** Runs one statement and returns the first column of its first row. */
async function ask(server: DatabaseAddress, statement: string): Promise<unknown> {
  const sql = connect(server, { connectionsMax: 1, statementTimeoutMs: 0 });
  try {
    const rows = await sql.unsafe(statement).values();
    return rows[0]?.[0];
  } finally {
    await sql.end();
  }
}

type Report = Pick<EmbeddedPostgres, "url" | "host" | "pid" | "joined">;

/** A gateway of its own: starts, reports, and stops when its input ends. */
function spawnUser(dataDir: string, uid?: number): { child: Child; report: Promise<Report> } {
  const code = `
    const { startEmbedded } = await import(${JSON.stringify(MODULE)});
    const { becomeOwner } = await import(${JSON.stringify(OWNER_MODULE)});
    becomeOwner(${JSON.stringify(dataDir)});
    const server = await startEmbedded({ dataDir: ${JSON.stringify(dataDir)} });
    console.log(JSON.stringify(server));
    await Bun.stdin.text();
    await server.stop();
  `;
  const child = Bun.spawn([BUN ?? process.execPath, "-e", code], {
    cwd: "/",
    env: { PATH: process.env.PATH ?? "", TMPDIR: tmpdir(), HOME: "/nonexistent" },
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  children.push(child);
  return { child, report: readReport(child) };
}

async function readReport(child: Child): Promise<Report> {
  let text = "";
  for await (const chunk of child.stdout) {
    text += new TextDecoder().decode(chunk);
    if (text.includes("\n")) return JSON.parse(text);
  }
  throw new Error(`the child ended with ${await child.exited} before it reported`);
}

describe("startEmbedded", () => {
  test("startEmbedded starts in an empty directory and answers, and again twice in a row", async () => {
    const dataDir = newDataDir();
    for (const round of [1, 2, 3]) {
      const server = await startEmbedded({ dataDir });
      expect(server.joined).toBe(false);
      expect(await ask(server, "select current_database()")).toBe("feedgate");
      if (round === 1) await ask(server, "create table kept (n int)");
      else expect(await ask(server, "select count(*)::int from kept")).toBe(0);
      await server.stop();
      expect(isRunning(server.pid)).toBe(false);
    }
    expect(await waitFor(() => keepersOf(dataDir).length === 0, 20_000)).toBe(true);
  });

  test("startEmbedded runs with the settings it promises, on a socket alone", async () => {
    const server = await startEmbedded({ dataDir: await usedDataDir(newDataDir()) });
    const names = ["fsync", "full_page_writes", "listen_addresses", "max_connections"];
    const shown = await Promise.all(names.map((name) => ask(server, `show ${name}`)));
    expect(shown).toEqual(["on", "on", "", "200"]);
    expect(lstatSync(server.host).mode & 0o777).toBe(0o700);
    await server.stop();
  });

  test("startEmbedded joins the server of another user, and the last user out stops it", async () => {
    const dataDir = await usedDataDir(newDataDir());
    const first = await startEmbedded({ dataDir });
    const second = await startEmbedded({ dataDir });
    const third = spawnUser(dataDir);
    const report = await third.report;
    expect(second.joined).toBe(true);
    expect(report).toMatchObject({ joined: true, pid: first.pid, host: first.host });
    await first.stop();
    await first.stop();
    await second.stop();
    expect(await ask(report, "select 1")).toBe(1);
    third.child.stdin.end();
    expect(await third.child.exited).toBe(0);
    expect(isRunning(first.pid)).toBe(false);
  });

  test("startEmbedded brings up one server when several start at the same moment on an empty directory", async () => {
    const dataDir = newDataDir();
    const users = [spawnUser(dataDir), spawnUser(dataDir), spawnUser(dataDir)];
    const reports = await Promise.all(users.map((user) => user.report));
    expect(new Set(reports.map((report) => report.pid)).size).toBe(1);
    expect(reports.filter((report) => !report.joined)).toHaveLength(1);
    for (const user of users) user.child.stdin.end();
    await Promise.all(users.map((user) => user.child.exited));
    expect(serverPid(dataDir)).toBeUndefined();
  });

  test("startEmbedded recovers after a kill -9 of the postmaster", async () => {
    const dataDir = await usedDataDir(newDataDir());
    const killed = await startEmbedded({ dataDir });
    await ask(killed, "create table kept (n int)");
    await ask(killed, "insert into kept values (7)");
    await killAndWait(killed.pid);
    const server = await startEmbedded({ dataDir });
    expect(server.joined).toBe(false);
    expect(await ask(server, "select n from kept")).toBe(7);
    await killed.stop();
    expect(await ask(server, "select n from kept")).toBe(7);
    await server.stop();
    expect(isRunning(server.pid)).toBe(false);
  });

  test("startEmbedded starts when postmaster.pid names a living process that is not PostgreSQL", async () => {
    const dataDir = await usedDataDir(newDataDir());
    const killed = await startEmbedded({ dataDir });
    await killAndWait(killed.pid);
    const foreign = Bun.spawn(["sleep", "60"], accountOf(join(dataDir, "pg18")));
    // The socket has a lock file of its own, which a zombie postmaster blocks in the same way.
    const socketLock = join(killed.host, ".s.PGSQL.5432.lock");
    for (const file of [join(dataDir, "pg18", "postmaster.pid"), socketLock]) {
      const lines = readFileSync(file, "utf8").split("\n");
      writeFileSync(file, [`${foreign.pid}`, ...lines.slice(1)].join("\n"));
    }
    const server = await startEmbedded({ dataDir });
    expect(await ask(server, "select 1")).toBe(1);
    expect(foreign.exitCode).toBeNull();
    await server.stop();
    await killed.stop();
    foreign.kill();
    await foreign.exited;
  });

  test("startEmbedded takes over the server of a user that was killed, while its keeper was killed, too", async () => {
    const dataDir = await usedDataDir(newDataDir());
    const { child, report } = spawnUser(dataDir);
    const { pid } = await report;
    for (const keeper of keepersOf(dataDir)) process.kill(keeper, "SIGKILL");
    child.kill("SIGKILL");
    await child.exited;
    const server = await startEmbedded({ dataDir });
    expect(server).toMatchObject({ joined: true, pid });
    expect(await ask(server, "select 1")).toBe(1);
    await server.stop();
    expect(isRunning(pid)).toBe(false);
  });

  test("startEmbedded leaves no server, no keeper and no socket when every user was killed and none starts again", async () => {
    // Once with the socket in the data directory, once in the temporary one.
    for (const name of ["data", LONG_NAME]) {
      const dataDir = await usedDataDir(newDataDir(name));
      const users = [spawnUser(dataDir), spawnUser(dataDir)];
      const reports = await Promise.all(users.map(({ report }) => report));
      const { pid, host } = reports[0] as Report;
      expect(host.startsWith(dataDir)).toBe(name === "data");
      expect(keepersOf(dataDir)).toHaveLength(2);
      for (const { child } of users) child.kill("SIGKILL");
      const gone = () => !isRunning(pid) && keepersOf(dataDir).length === 0;
      expect(await waitFor(gone, ABANDONED_MS_MAX)).toBe(true);
      expect(existsSync(join(dataDir, "pg18", "postmaster.pid"))).toBe(false);
      expect(existsSync(join(host, ".s.PGSQL.5432"))).toBe(false);
      expect(existsSync(host)).toBe(name === "data");
    }
  });

  test("startEmbedded keeps its socket when the keeper of the server before it is late to end", async () => {
    const dataDir = await usedDataDir(newDataDir(LONG_NAME));
    const parent = parents.get(dataDir) ?? "";
    const isFree = join(parent, "is-free");
    // Whatever the late keeper removes, it removes when the next server runs.
    const rm = join(parent, "rm");
    writeFileSync(
      rm,
      `#!/bin/sh\nuntil [ -e ${isFree} ]; do sleep 0.02; done\nexec /bin/rm "$@"\n`,
    );
    chmodSync(rm, 0o755);
    const { PATH } = process.env;
    process.env.PATH = `${parent}:${PATH}`;
    const first = await startEmbedded({ dataDir });
    process.env.PATH = PATH;
    const keeper = listProcesses().find(({ pid }) => pid === first.pid)?.parent ?? 0;
    // The keeper's other part waits for the users' end, and has no process of its own until then.
    const watcher = keepersOf(dataDir).find((pid) => pid !== keeper) ?? 0;
    process.kill(keeper, "SIGSTOP");
    await first.stop();
    const isAwake = () => listProcesses().some(({ parent }) => parent === watcher);
    expect(await waitFor(isAwake, 20_000)).toBe(true);
    const second = await startEmbedded({ dataDir });
    writeFileSync(isFree, "");
    expect(await waitFor(() => findProcesses(rm).length === 0, 20_000)).toBe(true);
    process.kill(keeper, "SIGCONT");
    expect(await waitFor(() => !isRunning(keeper), 20_000)).toBe(true);
    expect(await ask(second, "select 1")).toBe(1);
    await second.stop();
    expect(existsSync(second.host)).toBe(false);
  });

  test("startEmbedded keeps the server when one of two users was killed", async () => {
    const dataDir = await usedDataDir(newDataDir());
    const server = await startEmbedded({ dataDir });
    const { child, report } = spawnUser(dataDir);
    await report;
    child.kill("SIGKILL");
    await Bun.sleep(3_000);
    expect(await ask(server, "select 1")).toBe(1);
    await server.stop();
    expect(isRunning(server.pid)).toBe(false);
  });

  test.each([
    ["with spaces", "my data, 1 'copy'"],
    ["too long for a socket", LONG_NAME],
  ])("startEmbedded starts and joins on a path %s", async (_, name) => {
    const dataDir = await usedDataDir(newDataDir(name));
    const server = await startEmbedded({ dataDir });
    const second = await startEmbedded({ dataDir });
    expect(second.joined).toBe(true);
    expect(await ask(second, "select 1")).toBe(1);
    await second.stop();
    await server.stop();
    expect(existsSync(server.host)).toBe(server.host.startsWith(dataDir));
  });

  test("a data directory of another PostgreSQL is refused by every command, which says how to move, and stays as it is", async () => {
    const packages = await Bun.file(PACKAGE).json();
    const [version] = Object.values<string>(packages.optionalDependencies);
    const own = `pg${version?.split(".")[0]}`;
    const layouts: Record<string, (dataDir: string) => void> = {
      "pg17 alone": (dataDir) => mkdirSync(join(dataDir, "pg17")),
      "pg17 beside an empty one": (dataDir) => {
        mkdirSync(join(dataDir, "pg17"));
        mkdirSync(join(dataDir, own));
      },
      "files of 17 under our name": (dataDir) => {
        mkdirSync(join(dataDir, own));
        writeFileSync(join(dataDir, own, "PG_VERSION"), "17\n");
      },
    };
    for (const [name, lay] of Object.entries(layouts)) {
      const dataDir = newDataDir();
      mkdirSync(dataDir, { recursive: true });
      lay(dataDir);
      const before = readdirSync(dataDir);
      const file = join(dirname(dataDir), "any.backup");
      writeFileSync(file, Bun.gzipSync('{"feedgate_backup":1,"schema":1,"tables":[]}\n'));
      for (const argv of [["serve"], ["account", "list"], ["restore", file]]) {
        const said = await runFeedgate([...argv, "--data-dir", dataDir], {});
        expect([name, argv, said.code, said.stdout]).toEqual([name, argv, 1, ""]);
        expect(said.stderr).toMatch(
          /^feedgate: .* contains a database of PostgreSQL 17, and this feedgate has PostgreSQL \d+: .*feedgate backup FILE.*feedgate restore FILE --data-dir NEW.*\n$/,
        );
      }
      expect(readdirSync(dataDir).filter((each) => each !== "lock")).toEqual(before);
    }
  });

  test("startEmbedded says what to do when the cluster cannot be opened, with the end of the log", async () => {
    const dataDir = await usedDataDir(newDataDir());
    const server = await startEmbedded({ dataDir });
    await server.stop();
    writeFileSync(join(dataDir, "pg18", "postgresql.conf"), "no_such_setting = 1\n");
    const failed = startEmbedded({ dataDir });
    await expect(failed).rejects.toThrow(/DATABASE_URL.*postgres\.log ends:.*no_such_setting/s);
    expect(await waitFor(() => keepersOf(dataDir).length === 0, 20_000)).toBe(true);
  });

  test.skipIf(!canSwitch)("startEmbedded starts as an ordinary user", async () => {
    const dataDir = newDataDir();
    chownSync(dirname(dataDir), NOBODY, NOBODY);
    const { child, report } = spawnUser(dataDir, NOBODY);
    const { pid, joined } = await report;
    expect(joined).toBe(false);
    expect(lstatSync(join(dataDir, "pg18")).uid).toBe(NOBODY);
    // Root joins it as that user: an operator command under sudo.
    const second = spawnUser(dataDir);
    expect(await second.report).toMatchObject({ joined: true, pid });
    second.child.stdin.end();
    expect(await second.child.exited).toBe(0);
    child.stdin.end();
    expect(await child.exited).toBe(0);
    expect(isRunning(pid)).toBe(false);
  });

  test.skipIf(!isRoot)(
    "startEmbedded starts as root in a directory that only root may enter, and empty after it was deleted",
    async () => {
      const dataDir = newDataDir();
      chmodSync(dirname(dataDir), 0o700);
      const clusters: string[] = [];
      for (const round of [1, 2]) {
        const server = await startEmbedded({ dataDir });
        const count = "select count(*)::int from pg_tables where tablename = 't'";
        expect(await ask(server, count)).toBe(0);
        await ask(server, "create table t ()");
        await server.stop();
        const again = await startEmbedded({ dataDir });
        expect(await ask(again, count)).toBe(1);
        await again.stop();
        clusters.push(readlinkSync(join(dataDir, "pg18")));
        if (round === 1) rmSync(dataDir, { recursive: true });
      }
      // The files of the one that was deleted are kept, in case that was a mistake.
      expect(clusters.map((cluster) => existsSync(join(cluster, "PG_VERSION")))).toEqual([
        true,
        true,
      ]);
      for (const cluster of clusters) rmSync(dirname(cluster), { recursive: true, force: true });
    },
  );

  test.skipIf(!canSwitch)(
    "startEmbedded refuses a cluster that belongs to another account",
    async () => {
      const dataDir = newDataDir();
      mkdirSync(join(dataDir, "pg18"), { recursive: true });
      chownSync(dataDir, NOBODY, NOBODY);
      const { child } = spawnRefused(dataDir);
      expect(await new Response(child.stderr).text()).toContain(
        "belongs to uid 0, not to uid 65534",
      );
      expect(await child.exited).toBe(1);
    },
  );
});

function spawnRefused(dataDir: string) {
  const code = `
    const { startEmbedded } = await import(${JSON.stringify(MODULE)});
    await startEmbedded({ dataDir: ${JSON.stringify(dataDir)} });
  `;
  const child = Bun.spawn([BUN ?? process.execPath, "-e", code], {
    cwd: "/",
    env: { PATH: process.env.PATH ?? "", HOME: "/nonexistent" },
    stdout: "ignore",
    stderr: "pipe",
    uid: NOBODY,
    gid: NOBODY,
  });
  return { child };
}

/** The account that owns a path, where we may become it: PostgreSQL minds only its own account. */
function accountOf(path: string): { uid?: number; gid?: number } {
  if (!isRoot) return {};
  const { uid, gid } = lstatSync(path);
  return { uid, gid };
}
