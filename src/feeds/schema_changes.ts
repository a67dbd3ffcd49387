/**
 * What a new schema changes for readers of a feed. Beyond 7.
 *
 * @module
 */

export const COMPATIBILITIES = ["same", "compatible", "breaking", "unknown"] as const;
/** Whether agents that were built on the old schema of a feed can read rows of the new one. Beyond 7. */
export type Compatibility = (typeof COMPATIBILITIES)[number];

/** What is other than it was, at one place of a schema. */
export interface SchemaChange {
  /** RFC 6901, inside the schema. */
  readonly path: string;
  readonly change: string;
  /** What it means for readers. */
  readonly why: string;
}

export interface SchemaComparison {
  readonly compatibility: Compatibility;
  /** The breaking ones first; none where nothing that is checked has changed. */
  readonly changes: readonly SchemaChange[];
}
