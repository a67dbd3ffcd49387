/**
 * Messages between the main thread and the schema worker.
 *
 * @module
 */
import type { InvalidSchema, SavedDefinition } from "../../feeds/save.ts";
import type { SchemaComparison } from "../../feeds/schema_changes.ts";
import type { ValueError } from "./check_run.ts";

export type Job =
  | { readonly kind: "compile"; readonly text: string }
  /** Find warnings for the provider. */
  | { readonly kind: "review"; readonly definition: SavedDefinition }
  /** Compare two schemas: JSON texts, or null for none. */
  | { readonly kind: "compare"; readonly before: string | null; readonly after: string | null }
  | {
      readonly kind: "validate";
      readonly key: string;
      readonly text: string;
      /** A JSON array of all rows. Passing one string takes half the time of passing 500. */
      readonly rows: string;
    };

/** A mistake in one row. */
export interface RowError extends ValueError {
  /** Index in the push. */
  readonly row: number;
}

export interface InvalidRows {
  readonly kind: "invalid";
  /** The first 20. */
  readonly errors: readonly RowError[];
  /** Total mistakes of all rows. One per row if finding all would cost too much. */
  readonly errorCount: number;
  /** Rows with at least one mistake. */
  readonly rowCount: number;
}

/** The job needs more steps or time than allowed. */
export interface OverBudget {
  readonly kind: "over_budget";
  readonly detail: string;
}

export type JobOutcome =
  | { readonly kind: "valid" }
  | { readonly kind: "reviewed"; readonly warnings: readonly string[] }
  | { readonly kind: "compared"; readonly comparison: SchemaComparison }
  | InvalidRows
  | InvalidSchema
  | OverBudget
  /** An internal error. */
  | { readonly kind: "failed"; readonly detail: string };

export type FromWorker =
  /** The worker has loaded. */
  | "ready"
  | {
      readonly kind: "done";
      readonly outcome: JobOutcome;
      /** Processor time of the worker's thread, in milliseconds. Not affected by other load on the machine. */
      readonly processorMs: number;
    };
