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
  /** Place and id of the pushed row that the mistake is in. */
  readonly row_index?: number;
  readonly row_id?: string;
  /** Of the file that is imported, from 1; `path` is then within its row. */
  readonly line?: number;
}
