/**
 * `bun src/build/release_notes.ts VERSION`: prints a version's section of `CHANGELOG.md` as its release notes. Exits
 * with 1 if there is no such section, or if it has no date yet.
 *
 * @module
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";

const CHANGELOG = join(import.meta.dir, "../../CHANGELOG.md");
/** Date line of a released section, such as `25 November 2026.` */
const DAY = /^(\d+ \w+ \d{4})\.$/m;

/** The section of a version, without its heading. Undefined if there is none. */
export function changelogSection(changelog: string, version: string): string | undefined {
  return changelog.split(`\n## ${version}\n`)[1]?.split("\n## ")[0]?.trim();
}

/** The date on which a section was released. Undefined if it has not been released. */
export function releaseDay(section: string): string | undefined {
  return DAY.exec(section)?.[1];
}

if (import.meta.main) {
  const version = (process.argv[2] ?? "").replace(/^v/, "");
  const section = changelogSection(readFileSync(CHANGELOG, "utf8"), version);
  if (section === undefined || releaseDay(section) === undefined) {
    console.error(`release_notes: CHANGELOG.md has no section for "${version}" with a day`);
    process.exit(1);
  }
  console.log(section);
}
