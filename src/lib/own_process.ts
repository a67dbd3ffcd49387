/**
 * How to start this program again, as a script that Bun runs or as the executable that `bun run build` creates, and
 * what a person types to start it.
 *
 * @module
 */
import { realpathSync } from "node:fs";
import { basename } from "node:path";

/** Whether this is the executable, whose modules are in their own file system. */
export const IS_COMPILED = /\/(?:\$bunfs|~BUN)\//.test(import.meta.url);

/**
 * The command that starts this program again, without its arguments. On Linux, it refers to the running file itself: by
 * now, its path may lead to another file, or be inaccessible to this process's account.
 */
export function ownCommand(): string[] {
  const executable = process.platform === "linux" ? "/proc/self/exe" : process.execPath;
  return IS_COMPILED ? [executable] : [executable, Bun.main];
}

/** Folders that package managers add to the PATH of the programs they start. A shell does not have them. */
const ADDED_TO_PATH = /[/\\]node_modules[/\\]\.bin[/\\]?$|[/\\]bun-node-[^/\\]*[/\\]?$/;
const PATH_SEPARATOR = process.platform === "win32" ? ";" : ":";

interface Started {
  /** @default whether this process is compiled */
  readonly isCompiled?: boolean;
  /** The executable's own path. @default the process's */
  readonly execPath?: string;
  /** @default the environment's PATH */
  readonly path?: string | undefined;
}

/**
 * What to type for this program: its name if a shell finds it, else its path. In a checkout, it is a script of the
 * package, which Bun runs, and npx downloads Bun if it is missing.
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
