/**
 * What the main thread and the validation worker say to each other.
 *
 * @module
 */

/** One error of one row. */
export interface RowError {
  /** Index in the push. */
  readonly row: number;
  /** RFC 6901, inside the row; "" for the row itself. */
  readonly pointer: string;
  readonly message: string;
}

export type Job =
  | { readonly kind: "check"; readonly text: string }
  | {
      readonly kind: "validate";
      readonly key: string;
      readonly text: string;
      /** A JSON array of all rows: one string is handed over in half the time of 500. */
      readonly rows: string;
    };

export type JobOutcome =
  | { readonly kind: "valid" }
  | { readonly kind: "invalid"; readonly errorCount: number; readonly errors: readonly RowError[] }
  | { readonly kind: "invalid_schema"; readonly detail: string }
  | { readonly kind: "over_budget"; readonly detail: string }
  /** A fault of ours. */
  | { readonly kind: "failed"; readonly detail: string };

export type FromWorker =
  | { readonly kind: "ready" }
  | {
      readonly kind: "done";
      readonly outcome: JobOutcome;
      /** What the job took the worker's thread, in milliseconds: how busy the machine is has no part in it. */
      readonly processorMs: number;
    };
