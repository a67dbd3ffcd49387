/**
 * Time bounds of tests.
 *
 * @module
 */

/** How much slower a machine may be that runs other tests beside this one. */
const BUSY_TIMES = 3;

/** What a test allows of a time that is promised for a machine with room. */
export function whenBusy(ms: number): number {
  return BUSY_TIMES * ms;
}
