/**
 * A mistake in a body.
 *
 * @module
 */

export interface FieldError {
  /** RFC 6901 pointer into the body as sent. */
  readonly path: string;
  /** What is wrong there. */
  readonly message: string;
  /** Index and id of the pushed row that contains the mistake. */
  readonly row_index?: number;
  readonly row_id?: string;
  /** Line number in the imported file, from 1. `path` is then relative to its row. */
  readonly line?: number;
}
