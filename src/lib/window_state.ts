/**
 * The state of a rate window, as limiter and headers both speak of it.
 *
 * @module
 */

/** State of the window after a decision. */
export interface WindowState {
  /** Calls in a window. */
  readonly limit: number;
  readonly remaining: number;
  /** Unix epoch seconds, rounded up, at which the oldest counted call leaves the window. */
  readonly resetSeconds: number;
}
