/**
 * The fixture of the newest release: a data folder and a backup that this release has made, and what they hold.
 *
 * @module
 */
import { join, resolve } from "node:path";

/** Where `bun run fixture` writes it. */
export const RELEASE_FOLDER = resolve(import.meta.dir, "../fixtures/release");
export const RELEASE_FILES = {
  /** The data folder, a tar compressed with zstd. */
  folder: join(RELEASE_FOLDER, "folder.tar.zst"),
  backup: join(RELEASE_FOLDER, "all.backup"),
  /** A `Release` as JSON. */
  release: join(RELEASE_FOLDER, "release.json"),
};

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
