/**
 * The embedded PostgreSQL inside the executable: finds it there and unpacks it, once, into a cache
 * folder.
 *
 * `bun run build` puts one archive into the executable, a tar compressed with zstd whose name tells its
 * version and digest (`src/build/pack_postgres.ts`). The digest is that of the manifest inside, and the
 * manifest has the digest of each file, so nothing is run that was not built in. The folder is written
 * under another name and renamed: of two starts at once both unpack and one is used, and a start that is
 * killed leaves no half of it. Later starts look whether all files have their size; a cache that somebody
 * has cleaned out in part is replaced.
 *
 * @module
 */
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";

/** Name of the list of files, in the archive and in the folder. */
export const MANIFEST_NAME = "manifest.json";
const DIGEST_HEX_CHARS = 16;
const ARCHIVE_NAME = new RegExp(`^(postgres-.+-[0-9a-f]{${DIGEST_HEX_CHARS}})\\.tar\\.zst$`);
const PROGRAM_MODE = 0o755;
const FILE_MODE = 0o644;
/** What a start has not finished by now was killed. */
const DRAFT_MS_MAX = 3_600_000;

/** Of each file, by its path. */
type Manifest = Readonly<Record<string, FileEntry>>;

export interface FileEntry {
  /** SHA-256, hexadecimal. */
  readonly digest: string;
  readonly bytes: number;
}

/** The archive in this executable. */
export interface PackedPostgres {
  /** `postgres-{version}-{digest}`: also the name of its folder. */
  readonly name: string;
  read(): Promise<Uint8Array>;
}

/** Nothing where the program is run by Bun, from its sources. */
export function findPackedPostgres(): PackedPostgres | undefined {
  for (const file of Bun.embeddedFiles as readonly (Blob & { readonly name?: string })[]) {
    const name = ARCHIVE_NAME.exec(file.name ?? "")?.[1];
    if (name !== undefined) return { name, read: () => file.bytes() };
  }
  return undefined;
}

/** The archive's file name, by what is inside. */
export function archiveName(version: string, manifestText: string): string {
  return `postgres-${version}-${digestOf(manifestText)}.tar.zst`;
}

/** SHA-256, hexadecimal. */
export function sha256(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

function digestOf(manifestText: string): string {
  return sha256(manifestText).slice(0, DIGEST_HEX_CHARS);
}

/** `$XDG_CACHE_HOME/feedgate`, else `~/.cache/feedgate`; as its specification says, only if absolute. */
export function cacheFolder(environment: Readonly<Record<string, string | undefined>>): string {
  const named = environment.XDG_CACHE_HOME ?? "";
  return join(isAbsolute(named) ? named : join(homedir(), ".cache"), "feedgate");
}

/**
 * The folder with `bin`, `lib` and `share`, in the first of the homes that can be written to.
 *
 * @throws where none can, or the archive is not what was built in.
 */
export async function unpackPostgres(
  packed: PackedPostgres,
  homes: readonly string[],
): Promise<string> {
  let failure: unknown;
  for (const home of homes) {
    const folder = join(home, packed.name);
    if (isWhole(folder)) return folder;
    try {
      mkdirSync(home, { recursive: true });
      removeDrafts(folder);
      await unpackInto(packed, folder);
      return folder;
    } catch (error) {
      if (error instanceof DamagedError) throw error;
      failure = error;
    }
  }
  throw new Error(
    `PostgreSQL can't be unpacked into ${homes.join(" or ")} (${(failure as Error | undefined)?.message}): set XDG_CACHE_HOME to a folder that this account may write to, or DATABASE_URL to a PostgreSQL of your own`,
    { cause: failure },
  );
}

class DamagedError extends Error {
  override readonly name = "DamagedError";
}

/** Every file is there, with its size. */
function isWhole(folder: string): boolean {
  try {
    const manifest = JSON.parse(readFileSync(join(folder, MANIFEST_NAME), "utf8")) as Manifest;
    return Object.entries(manifest).every(
      ([path, { bytes }]) =>
        statSync(join(folder, path), { throwIfNoEntry: false })?.size === bytes,
    );
  } catch {
    return false;
  }
}

async function unpackInto(packed: PackedPostgres, folder: string): Promise<void> {
  const files = await readArchive(packed);
  const draft = `${folder}.new-${Bun.randomUUIDv7()}`;
  // Also for the account that root hands PostgreSQL to.
  const umask = process.umask(0o022);
  try {
    writeFiles(draft, files);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    throw error;
  } finally {
    process.umask(umask);
  }
  replaceFolder(draft, folder);
}

/** Contents by path, each proven by its digest. */
async function readArchive(packed: PackedPostgres): Promise<Map<string, Uint8Array>> {
  const archive = new Bun.Archive(await Bun.zstdDecompress(await packed.read()));
  const contents = new Map<string, Uint8Array>();
  for (const [path, file] of await archive.files()) contents.set(path, await file.bytes());
  const manifestText = new TextDecoder().decode(contents.get(MANIFEST_NAME));
  if (!packed.name.endsWith(`-${digestOf(manifestText)}`)) throw damaged(MANIFEST_NAME);
  const manifest = JSON.parse(manifestText) as Manifest;
  for (const [path, { digest }] of Object.entries(manifest)) {
    const content = contents.get(path);
    if (content === undefined || sha256(content) !== digest) throw damaged(path);
  }
  for (const path of contents.keys()) {
    if (path !== MANIFEST_NAME && manifest[path] === undefined) throw damaged(path);
  }
  return contents;
}

function damaged(path: string): DamagedError {
  return new DamagedError(
    `the PostgreSQL inside this executable is damaged (${path}): get the executable anew`,
  );
}

function writeFiles(folder: string, files: ReadonlyMap<string, Uint8Array>): void {
  const made = new Set<string>();
  for (const [path, content] of files) {
    const target = join(folder, path);
    const parent = dirname(target);
    if (!made.has(parent)) mkdirSync(parent, { recursive: true });
    made.add(parent);
    writeFileSync(target, content, { mode: path.startsWith("bin/") ? PROGRAM_MODE : FILE_MODE });
  }
  chmodSync(folder, PROGRAM_MODE);
}

function replaceFolder(draft: string, folder: string): void {
  try {
    renameSync(draft, folder);
    return;
  } catch (error) {
    if (!existsSync(folder)) throw error;
  }
  try {
    // Another start was faster, and what it has written is the same.
    if (isWhole(folder)) return;
    const old = `${folder}.new-${Bun.randomUUIDv7()}`;
    renameSync(folder, old);
    renameSync(draft, folder);
    rmSync(old, { recursive: true, force: true });
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** What killed starts left. */
function removeDrafts(folder: string): void {
  const home = dirname(folder);
  for (const name of readdirSync(home)) {
    const path = join(home, name);
    if (!path.startsWith(`${folder}.new-`)) continue;
    const changedMs = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    if (Date.now() - changedMs > DRAFT_MS_MAX) rmSync(path, { recursive: true, force: true });
  }
}
