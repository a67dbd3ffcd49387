/**
 * `bun src/build/release_notes.ts VERSION`: prints the section of `CHANGELOG.md` for a version, as the notes of its
 * release. Ends with 1 if there is none, or if it has no day yet.
 *
 * @module
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";

const CHANGELOG = join(import.meta.dir, "../../CHANGELOG.md");
/** The line of a released section, such as `25 November 2026.` */
const DAY = /^(\d+ \w+ \d{4})\.$/m;

/** The section of a version without its heading; undefined if there is none. */
export function changelogSection(changelog: string, version: string): string | undefined {
  return changelog.split(`\n## ${version}\n`)[1]?.split("\n## ")[0]?.trim();
}

/** The day on which a section was released; undefined if it was not. */
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
