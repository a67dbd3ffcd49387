/**
 * How to start this program again: as a file that Bun runs, or as the executable that `bun run build` makes. And
 * what a person types for it.
 *
 * @module
 */
import { realpathSync } from "node:fs";
import { basename } from "node:path";

/** Whether this is the executable, which holds its modules in a file system of its own. */
export const IS_COMPILED = /\/(?:\$bunfs|~BUN)\//.test(import.meta.url);

/**
 * The command that starts this program again, without its arguments. On Linux it is the very file that runs: by now,
 * another may have its path, or lie behind a directory that is closed to this process's account.
 */
export function ownCommand(): string[] {
  const executable = process.platform === "linux" ? "/proc/self/exe" : process.execPath;
  return IS_COMPILED ? [executable] : [executable, Bun.main];
}

/** Folders that package managers put before the PATH of what they start: no shell has them. */
const ADDED_TO_PATH = /[/\\]node_modules[/\\]\.bin[/\\]?$|[/\\]bun-node-[^/\\]*[/\\]?$/;
const PATH_SEPARATOR = process.platform === "win32" ? ";" : ":";

interface Started {
  /** @default whether it is */
  readonly isCompiled?: boolean;
  /** The executable's own path. @default the process's */
  readonly execPath?: string;
  /** @default the environment's PATH */
  readonly path?: string | undefined;
}

/**
 * What to type for this program, here: its name if a shell finds it, else its path. In a checkout it is a script of
 * the package, which Bun runs, and npx fetches Bun if there is none.
 */
export function typedCommand({
  isCompiled = IS_COMPILED,
  execPath = process.execPath,
  path = process.env.PATH,
}: Started = {}): string {
  const PATH = (path ?? "")
    .split(PATH_SEPARATOR)
    .filter((folder) => !ADDED_TO_PATH.test(folder))
    .join(PATH_SEPARATOR);
  if (isCompiled) {
    const name = basename(execPath);
    const found = Bun.which(name, { PATH });
    return found !== null && isSameFile(found, execPath) ? name : shellWord(execPath);
  }
  return Bun.which("bun", { PATH }) === null
    ? `npx -y bun@${Bun.version} feedgate`
    : "bun feedgate";
}

/** A text as one word of a shell. */
export function shellWord(text: string): string {
  return /^[\w./:@-]+$/.test(text) ? text : Bun.$.escape(text);
}

function isSameFile(path: string, other: string): boolean {
  return realpathSync(path) === realpathSync(other);
}
