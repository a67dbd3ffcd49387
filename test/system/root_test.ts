import { afterEach, expect, test } from "bun:test";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { startEmbedded } from "../../src/postgres/embedded/start.ts";
import { linesOf, runProcess } from "../cli/support.ts";
import { temporaryFolder } from "../support/folders.ts";
import { PROGRAM } from "../support/program.ts";
import { type ServedGateway, serveGateway } from "../support/served_gateway.ts";

const NOBODY = 65534;
const isRoot = process.getuid?.() === 0;
if (!isRoot) console.log("skipped: giving up root's privileges needs root");
const SECRET = "only root may read or write this\n";

const children: ServedGateway["child"][] = [];

afterEach(async () => {
  for (const child of children.splice(0)) {
    child.kill("SIGKILL");
    await child.exited;
  }
});

async function run(dataDir: string, ...argv: string[]) {
  const { stdout, stderr, code } = await runProcess([...argv, "--data-dir", dataDir], {});
  return { stdout, said: stderr, lines: linesOf(stderr), code };
}

/** A database with an account. */
async function makeDatabase(dataDir: string): Promise<void> {
  expect(await run(dataDir, "migrate")).toMatchObject({ code: 0 });
  expect(await run(dataDir, "account", "create", "--name", "A")).toMatchObject({ code: 0 });
}

/** What is root's in a folder, itself included. */
function rootsFiles(path: string): string[] {
  return linesOf(Bun.spawnSync(["find", path, "-uid", "0"]).stdout.toString());
}

function foldersOfNobody(): { parent: string; dataDir: string; secret: string } {
  const parent = temporaryFolder();
  const dataDir = join(parent, "data");
  mkdirSync(dataDir);
  chownSync(dataDir, NOBODY, 0);
  const secret = join(parent, "secret");
  writeFileSync(secret, SECRET, { mode: 0o600 });
  return { parent, dataDir, secret };
}

test.skipIf(!isRoot)(
  "a command of root's becomes the data directory's owner, whatever links are planted there",
  async () => {
    const { dataDir, secret } = foldersOfNobody();
    await makeDatabase(dataDir);
    // While it runs, so that files are seen which go when it stops.
    const serving = await serveGateway(["serve", "--data-dir", dataDir], {});
    children.push(serving.child);
    const names = readdirSync(dataDir);
    expect(rootsFiles(dataDir)).toEqual([]);
    await serving.stop();

    const inCluster = ["postmaster.pid", "postgresql.auto.conf"].map((name) => join("pg18", name));
    const planted = [...names, "postgres.log.1", ...inCluster].map((name) => join(dataDir, name));
    for (const path of planted) {
      const aside = `${path}.aside`;
      const isThere = lstatSync(path, { throwIfNoEntry: false }) !== undefined;
      if (isThere) renameSync(path, aside);
      symlinkSync(secret, path);
      const { said } = await run(dataDir, "account", "list");
      expect([path, said.includes(SECRET.trim())]).toEqual([path, false]);
      expect([path, readFileSync(secret, "utf8"), statSync(secret).mode & 0o777]).toEqual([
        path,
        SECRET,
        0o600,
      ]);
      rmSync(path, { recursive: true, force: true });
      if (isThere) renameSync(aside, path);
    }
    expect((await run(dataDir, "account", "list")).stdout).toContain("A");
    expect(rootsFiles(dataDir)).toEqual([]);
  },
);

test.skipIf(!isRoot)("the owner's PostgreSQL is given no file of root's", async () => {
  const { dataDir, secret } = foldersOfNobody();
  await makeDatabase(dataDir);
  rmSync(join(dataDir, "postgres.log"));
  symlinkSync(secret, join(dataDir, "postgres.log"));
  writeFileSync(
    join(dataDir, "pg18", "postgresql.auto.conf"),
    "archive_mode = on\narchive_command = 'echo planted >&2; id >&2'\n",
  );
  await run(dataDir, "account", "list");
  expect(readFileSync(secret, "utf8")).toBe(SECRET);
});

test.skipIf(!isRoot)("workers of a supervisor that root started are not root's", async () => {
  const { dataDir } = foldersOfNobody();
  // As in root's own home: nobody else may reach the program.
  const home = temporaryFolder();
  chmodSync(home, 0o700);
  const [executable = "", ...sources] = PROGRAM;
  const own = join(home, basename(executable));
  copyFileSync(executable, own);
  const { child, stop } = await serveGateway(
    ["serve", "--workers", "2", "--data-dir", dataDir],
    {},
    [own, ...sources],
  );
  children.push(child);
  const ids = Bun.spawnSync(["pgrep", "-P", `${child.pid}`])
    .stdout.toString()
    .trim()
    .split("\n");
  expect(ids.length).toBeGreaterThanOrEqual(2);
  for (const id of [...ids, child.pid]) {
    const status = readFileSync(`/proc/${id}/status`, "utf8");
    expect(status).toMatch(/^Uid:(\t65534){4}$/m);
    expect(status).toMatch(/^Groups:\t65534 $/m);
    expect(status).toMatch(/^CapEff:\t0+$/m);
  }
  await stop();
});

test.skipIf(!isRoot)(
  "root refuses a data directory that another account could replace",
  async () => {
    const { parent, dataDir } = foldersOfNobody();
    const rootsOwn = join(parent, "roots-own");
    mkdirSync(rootsOwn);
    const within = join(dataDir, "within");
    mkdirSync(within);
    const link = join(dataDir, "link");
    symlinkSync(rootsOwn, link);
    const open = join(parent, "open");
    mkdirSync(open);
    chmodSync(open, 0o1777);
    for (const path of [within, link, open]) {
      const { code, lines } = await run(path, "migrate");
      expect([path, code, lines]).toEqual([
        path,
        1,
        [expect.stringContaining("another account could replace")],
      ]);
      expect(readdirSync(path)).toEqual([]);
    }
    // By the library, too: there nobody has become the owner.
    await expect(startEmbedded({ dataDir })).rejects.toThrow("another account could replace");
    expect(readdirSync(dataDir).sort()).toEqual(["link", "within"]);
  },
);

test.skipIf(!isRoot)(
  "a backup of root's goes where the data directory's owner may write, and elsewhere is refused by one clear line",
  async () => {
    const { parent, dataDir } = foldersOfNobody();
    await makeDatabase(dataDir);
    const rootsOwn = join(parent, "roots-own");
    mkdirSync(rootsOwn, { mode: 0o700 });
    const owners = join(parent, "owners");
    mkdirSync(owners, { mode: 0o700 });
    chownSync(owners, NOBODY, 0);
    const refused = await run(dataDir, "backup", join(rootsOwn, "all.backup"));
    expect([refused.code, refused.lines]).toEqual([
      1,
      [
        expect.stringMatching(
          /the owner of the data folder, .* can't (access|write to) .*roots-own/,
        ),
      ],
    ]);
    expect(readdirSync(rootsOwn)).toEqual([]);
    expect((await run(dataDir, "backup", join(owners, "all.backup"))).code).toBe(0);
    expect(statSync(join(owners, "all.backup")).uid).toBe(NOBODY);
  },
);

test.skipIf(!isRoot)(
  "root names itself in the audit trail, also when it has become the owner",
  async () => {
    const { dataDir } = foldersOfNobody();
    await makeDatabase(dataDir);
    const { stdout } = await run(dataDir, "audit", "--json");
    expect(stdout).toContain('"operator root"');
  },
);
