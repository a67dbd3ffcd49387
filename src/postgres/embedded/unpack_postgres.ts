/**
 * Finds the PostgreSQL inside the executable, and unpacks it once into a cache folder.
 *
 * `bun run build` adds one archive to the executable, a tar compressed with zstd. Its name contains version and digest
 * (`src/build/pack_postgres.ts`). Each start checks the size of all files. If any are missing, the folder is replaced.
 *
 * @module
 */
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { messageOf } from "../../lib/error_fields.ts";
import { takeLock } from "./lock.ts";
import { isRoot } from "./owner.ts";

/** Name of the list of files, in the archive and in the folder. */
export const MANIFEST_NAME = "manifest.json";
const ARCHIVE_NAME = /^(postgres-.+-[0-9a-f]{16})\.tar\.zst$/;
const PROGRAM_MODE = 0o755;
const FILE_MODE = 0o644;

/**
 * The folder with `bin`, `lib`, and `share`, in the first home that contains it or is writable. Undefined if Bun runs
 * the program from its sources.
 * @throws if there is no such home.
 */
export async function unpackPostgres(homes: readonly string[]): Promise<string | undefined> {
  for (const file of Bun.embeddedFiles) {
    const name = "name" in file ? ARCHIVE_NAME.exec(String(file.name))?.[1] : undefined;
    if (name !== undefined)
      return unpack(
        file,
        homes.map((home) => join(home, name)),
      );
  }
  return undefined;
}

async function unpack(packed: Blob, folders: readonly string[]): Promise<string> {
  let failure: unknown;
  for (const folder of folders) {
    if (isWhole(folder)) return folder;
    try {
      mkdirSync(dirname(folder), { recursive: true });
      const archive = new Bun.Archive(await Bun.zstdDecompress(await packed.bytes()));
      const files = new Map<string, Uint8Array>();
      for (const [path, file] of await archive.files()) files.set(path, await file.bytes());
      await installFolder(folder, {
        isWhole: () => isWhole(folder),
        write: (draft) => writeFiles(draft, files),
      });
      return folder;
    } catch (error) {
      failure = error;
    }
  }
  throw new Error(
    `PostgreSQL can't be unpacked into ${folders.map(dirname).join(" or ")} (${messageOf(failure)}): set XDG_CACHE_HOME to a folder that this account can write to, or DATABASE_URL to your own PostgreSQL`,
    { cause: failure },
  );
}

/**
 * Creates a folder that every account can read. One start at a time writes it, under a temporary name, and then renames
 * it. So a start that is killed leaves no incomplete folder.
 */
export async function installFolder(
  folder: string,
  { isWhole, write }: { isWhole(): boolean; write(folder: string): void },
): Promise<void> {
  const unlock = await takeLock(`${folder}.lock`);
  const draft = `${folder}.new`;
  const umask = process.umask(0o022);
  try {
    if (isWhole()) return;
    // Root's folders belong to the system, where new files would be unexpected.
    if (isRoot())
      process.stderr.write(`feedgate: unpacking PostgreSQL into ${folder} (only once)\n`);
    rmSync(draft, { recursive: true, force: true });
    write(draft);
    rmSync(folder, { recursive: true, force: true });
    renameSync(draft, folder);
  } finally {
    process.umask(umask);
    unlock();
  }
}

/** Whether every file exists with its full size. */
function isWhole(folder: string): boolean {
  try {
    /** The size of each file by path. */
    const manifest: Record<string, number> = JSON.parse(
      readFileSync(join(folder, MANIFEST_NAME), "utf8"),
    );
    return Object.entries(manifest).every(
      ([path, bytes]) => statSync(join(folder, path), { throwIfNoEntry: false })?.size === bytes,
    );
  } catch {
    return false;
  }
}

function writeFiles(folder: string, files: ReadonlyMap<string, Uint8Array>): void {
  for (const [path, content] of files) {
    const target = join(folder, path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, content, { mode: path.startsWith("bin/") ? PROGRAM_MODE : FILE_MODE });
  }
  chmodSync(folder, PROGRAM_MODE);
}
