/**
 * The effect of a new schema on readers of a feed.
 *
 * See `src/spec/beyond.md`, section 7.
 *
 * @module
 */

export const COMPATIBILITIES = ["same", "compatible", "breaking", "unknown"] as const;
/** Whether agents that were built on the old schema of a feed can read rows of the new one. */
export type Compatibility = (typeof COMPATIBILITIES)[number];

/** A difference at one location of a schema. */
export interface SchemaChange {
  /** RFC 6901, relative to the schema. */
  readonly path: string;
  readonly change: string;
  /** What it means for readers. */
  readonly why: string;
}

export interface SchemaComparison {
  readonly compatibility: Compatibility;
  /** Breaking changes first. Empty if nothing that is checked has changed. */
  readonly changes: readonly SchemaChange[];
}
