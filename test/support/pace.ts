/**
 * Time bounds of tests.
 *
 * @module
 */

/** How much slower a machine may be that runs other tests at the same time. */
const BUSY_TIMES = 3;

/** The time that a test allows for a step that takes up to `ms` on an idle machine. */
export function whenBusy(ms: number): number {
  return BUSY_TIMES * ms;
}
