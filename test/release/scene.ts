/**
 * The fixtures of releases: of each a data folder and a backup that it has made, and what they hold.
 *
 * @module
 */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { placeSite } from "../../src/postgres/embedded/site.ts";
import { giveToPostgres } from "../support/cluster.ts";
import { temporaryFolder } from "../support/folders.ts";

/** Where `bun run fixture` writes a folder for each. */
const FOLDER = resolve(import.meta.dir, "../fixtures/release");

/** All of them, the oldest first. */
export const RELEASES: readonly string[] = readdirSync(FOLDER).sort(Bun.semver.order);

/** @param version such as 0.1.0 */
export function releaseFiles(version: string) {
  const folder = join(FOLDER, version);
  return {
    folder,
    /** The data folder, a tar compressed with zstd. */
    dataDir: join(folder, "folder.tar.zst"),
    backup: join(folder, "all.backup"),
    /** A `Release` as JSON. */
    release: join(folder, "release.json"),
    /** The digests of its migrations by name, as JSON: databases of it exist, so none of them may change. */
    migrations: join(folder, "migrations.json"),
    /** Its section of the changelog, which says what changed up to it: what comes later is of another version. */
    changelog: join(folder, "changelog.md"),
  };
}

export function readRelease(version: string): Release {
  return JSON.parse(readFileSync(releaseFiles(version).release, "utf8"));
}

export function readMigrations(version: string): Readonly<Record<string, string>> {
  return JSON.parse(readFileSync(releaseFiles(version).migrations, "utf8"));
}

/** SHA-256 in hexadecimal, by name. */
export function digestsOf(
  migrations: readonly { readonly name: string; readonly text: string }[],
): Record<string, string> {
  return Object.fromEntries(
    migrations.map(({ name, text }) => [
      name,
      new Bun.CryptoHasher("sha256").update(text).digest("hex"),
    ]),
  );
}

/** A release's data folder, as if it had just stopped. */
export function unpackRelease(version: string): string {
  const home = temporaryFolder();
  const tar = Bun.zstdDecompressSync(readFileSync(releaseFiles(version).dataDir));
  const { status, stderr } = spawnSync("tar", ["-C", home, "-xpf", "-"], { input: tar });
  if (status !== 0) throw new Error(`the folder was not unpacked: ${stderr}`);
  const dataDir = join(home, "folder");
  const site = placeSite(dataDir);
  giveToPostgres(site, site.cluster);
  return dataDir;
}

export interface Release {
  /** What the release's `--version` prints. */
  readonly version: string;
  readonly accountId: string;
  readonly readKey: string;
  readonly writeKey: string;
  readonly balanceCredits: number;
  /** By slug: the feed's id, what a read gives, and the cursor behind its first row. */
  readonly feeds: Readonly<Record<string, ReleasedFeed>>;
}

export interface ReleasedFeed {
  readonly id: string;
  readonly data: unknown;
  readonly cursor?: string;
}

/** The feeds that the release is to make, one of each type, with their rows as they are pushed. */
export const FEEDS = {
  "old-rates": {
    fields: {
      name: "Old rates",
      feed_type: "collection",
      price_type: "metered",
      price_per_1k: 0.5,
      schema_definition: { type: "object", properties: { id: {}, rate: { type: "number" } } },
    },
    payload: {
      payload: [
        { id: "EUR", rate: 1 },
        { id: "USD", rate: 1.0845 },
        { id: "GBP", rate: 0.8571 },
      ],
      batch_id: "monday",
      batch_complete: true,
    },
  },
  "old-status": {
    fields: { name: "Old status", feed_type: "singleton", price_type: "free" },
    payload: { state: "well", digits: 12345678901234, é: "\u2028" },
  },
  "old-events": {
    fields: {
      name: "Old events",
      feed_type: "stream",
      price_type: "one_time",
      one_time_price_cents: 100,
    },
    payload: [
      { id: "first", event_timestamp: "2026-01-01T00:00:00Z", kind: "quake" },
      { id: "second", event_timestamp: "2026-01-02T00:00:00Z", kind: "flood" },
    ],
  },
} as const;
