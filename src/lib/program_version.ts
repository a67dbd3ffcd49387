/**
 * Which program this is: its version, and the commit that it was made from.
 *
 * `bun run build` puts the commit into the executable. From its sources, git is asked, if they are a checkout.
 *
 * @module
 */
import { spawnSync } from "node:child_process";
import { realpathSync } from "node:fs";
import { version } from "../../package.json" with { type: "json" };

/** Stands in the executable for the commit; "" if it was not known. */
declare const FEEDGATE_COMMIT: string;

/** `0.1.0`; between releases that of the next one with `-dev` behind it. */
export const VERSION = version;

/** `0.1.0 (28c865b1c2d3)`; without the commit if it is not known. `-dirty` behind it: files were changed since. */
export function fullVersion(): string {
  const commit = findCommit();
  return commit === undefined ? VERSION : `${VERSION} (${commit})`;
}

/** The commit, in twelve digits. Starts git if this is no executable. */
export function findCommit(): string | undefined {
  if (typeof FEEDGATE_COMMIT === "string") return FEEDGATE_COMMIT || undefined;
  const root = Bun.fileURLToPath(new URL("../../", import.meta.url));
  // An installed package may lie in another project's checkout.
  const top = git(root, "rev-parse", "--show-toplevel");
  if (top === undefined || realpathSync(top) !== realpathSync(root)) return undefined;
  return git(root, "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*");
}

/** What git prints; undefined if it can't. */
function git(folder: string, ...argv: readonly string[]): string | undefined {
  const { status, stdout } = spawnSync("git", argv, { cwd: folder, encoding: "utf8" });
  return status === 0 ? stdout.trim() : undefined;
}
