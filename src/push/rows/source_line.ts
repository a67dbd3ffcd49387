/**
 * A row of an imported file, before it is checked.
 *
 * @module
 */

export interface SourceLine {
  /** Line number in the file, from 1, on which the row begins. */
  readonly line: number;
  /** JSON text of the row. */
  readonly text: string;
  /** Why there is no text. */
  readonly mistake?: string;
}
