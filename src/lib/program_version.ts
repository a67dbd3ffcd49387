/**
 * The version of this program, and the commit that it was built from.
 *
 * `bun run build` adds the commit to the executable. In a checkout of the sources, git is asked.
 *
 * @module
 */
import { spawnSync } from "node:child_process";
import { realpathSync } from "node:fs";
import { version } from "../../package.json" with { type: "json" };

/** The executable defines this as the commit, or as "" if it was not known. */
declare const FEEDGATE_COMMIT: string;

/** `0.1.0`. Between releases, the next version with the suffix `-dev`. */
export const VERSION = version;

/**
 * `0.1.0 (28c865b1c2d3)`, without the commit if it is not known. The suffix `-dirty` means that files were changed
 * since.
 */
export function fullVersion(): string {
  const commit = findCommit();
  return commit === undefined ? VERSION : `${VERSION} (${commit})`;
}

/** The commit, in twelve digits. Starts git if this is not an executable. */
export function findCommit(): string | undefined {
  if (typeof FEEDGATE_COMMIT === "string") return FEEDGATE_COMMIT || undefined;
  const root = Bun.fileURLToPath(new URL("../../", import.meta.url));
  // An installed package may be inside another project's checkout.
  const top = git(root, "rev-parse", "--show-toplevel");
  if (top === undefined || realpathSync(top) !== realpathSync(root)) return undefined;
  return git(root, "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*");
}

/** The output of git. Undefined if it fails. */
function git(folder: string, ...argv: readonly string[]): string | undefined {
  const { status, stdout } = spawnSync("git", argv, { cwd: folder, encoding: "utf8" });
  return status === 0 ? stdout.trim() : undefined;
}
