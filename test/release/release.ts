/**
 * `bun run release VERSION`: makes a release of the newest commit, and commits it.
 *
 * It writes the version into `package.json`, from which all else has it, and into the Helm chart, and the notices anew,
 * and commits them. Then it builds the executable, has that make the fixture that later versions are tested with
 * (`make.ts`), and commits the fixture, with digests of the migrations and its section of the changelog, which are
 * frozen from then on. What is to be given out is in `dist`: the executable, its digest, and its bill of materials. At
 * last the version becomes that of the next release with `-dev`, so that no later program calls itself by this one's.
 * Nothing is pushed.
 *
 * @module
 */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import packageInfo from "../../package.json" with { type: "json" };
import { withChartVersion } from "../../src/build/package_chart.ts";
import { changelogSection, releaseDay } from "../../src/build/release_notes.ts";
import { MIGRATIONS } from "../../src/postgres/generated/statements.ts";
import { digestsOf, releaseFiles } from "./scene.ts";

const ROOT = resolve(import.meta.dir, "../..");
const CHANGELOG = join(ROOT, "CHANGELOG.md");
const CHART = join(ROOT, "src/deploy/helm/feedgate/Chart.yaml");
const PROGRAM = "dist/feedgate";

/** Why this version can't be released now; undefined if it can. */
export function findObstacle(wanted: {
  readonly version: string;
  readonly current: string;
  readonly changelog: string;
  /** What `git status --porcelain` prints. */
  readonly changes: string;
}): string | undefined {
  const { version, current, changelog, changes } = wanted;
  if (!/^\d+\.\d+\.\d+$/.test(version)) return "usage: bun run release VERSION, such as 0.2.0";
  if (Bun.semver.order(version, current) <= 0) return `${version} is not newer than ${current}`;
  if (changes !== "") return `there are files that are not committed:\n${changes}`;
  const section = changelogSection(changelog, version);
  if (section === undefined) {
    return `CHANGELOG.md has no entry for ${version}: write it in place of ${current}, with the day below, and commit it`;
  }
  if (releaseDay(section) === undefined) {
    return `CHANGELOG.md has no day for ${version}, such as 25 November 2026.: write it there, and commit it`;
  }
  return undefined;
}

function run(command: readonly string[]): string {
  const [program = "", ...argv] = command;
  const { status, stdout } = spawnSync(program, argv, {
    cwd: ROOT,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (status !== 0) throw new Error(`failed: ${command.join(" ")}`);
  return stdout.trimEnd();
}

function commit(message: string): void {
  run(["git", "add", "--all"]);
  run(["git", "commit", "--quiet", "--message", message]);
}

/** The version after a release, until the next. */
export function nextVersion(version: string): string {
  const [major, minor] = version.split(".").map(Number);
  return `${major}.${(minor ?? 0) + 1}.0-dev`;
}

/** A changelog with an empty section for what comes. */
export function withSection(changelog: string, version: string): string {
  return changelog.replace("\n## ", `\n## ${version}\n\n## `);
}

/** Writes the version, and what is generated from it. */
function setVersion(version: string): void {
  const path = join(ROOT, "package.json");
  const text = readFileSync(path, "utf8");
  writeFileSync(path, text.replace(/"version": "[^"]*"/, `"version": "${version}"`));
  writeFileSync(CHART, withChartVersion(readFileSync(CHART, "utf8"), version));
  run([process.execPath, "run", "generate"]);
}

function release(version: string): void {
  setVersion(version);
  commit(`chore(release): ${version}`);
  run([process.execPath, "run", "build"]);
  run([process.execPath, "run", "sbom"]);
  run([process.execPath, "run", "fixture", PROGRAM]);
  const digests = JSON.stringify(digestsOf(MIGRATIONS), null, 2);
  writeFileSync(releaseFiles(version).migrations, `${digests}\n`);
  const changelog = readFileSync(CHANGELOG, "utf8");
  writeFileSync(releaseFiles(version).changelog, `${changelogSection(changelog, version)}\n`);
  commit(`test(release): what ${version} leaves behind`);
  const digest = new Bun.CryptoHasher("sha256").update(readFileSync(join(ROOT, PROGRAM)));
  writeFileSync(join(ROOT, `${PROGRAM}.sha256`), `${digest.digest("hex")}  feedgate\n`);
  const next = nextVersion(version);
  writeFileSync(CHANGELOG, withSection(changelog, next));
  setVersion(next);
  commit(`chore: ${next}`);
  console.log(`${run([join(ROOT, PROGRAM), "--version"])} is in dist, and committed`);
}

if (import.meta.main) {
  const version = process.argv[2] ?? "";
  const obstacle = findObstacle({
    version,
    current: packageInfo.version,
    changelog: readFileSync(CHANGELOG, "utf8"),
    changes: run(["git", "status", "--porcelain"]),
  });
  if (obstacle !== undefined) {
    console.error(`release: ${obstacle}`);
    process.exit(1);
  }
  release(version);
}
