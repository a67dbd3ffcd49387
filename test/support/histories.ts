/**
 * The number of random histories that a property is tested with: few in a test run, many in `bun run fuzz`, which runs
 * every file that uses this module. A failing history is printed with its seed.
 *
 * @module
 */

const MANY = 15;

export function histories(few: number): number {
  return process.env.FUZZ_CASES === undefined ? few : MANY * few;
}
