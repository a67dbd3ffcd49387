/**
 * How many random histories a property is tried with: a few in a run of the tests, and many in `bun run fuzz`, which
 * runs every file that asks here. What fails is printed with its seed.
 *
 * @module
 */

const MANY = 15;

export function histories(few: number): number {
  return process.env.FUZZ_CASES === undefined ? few : MANY * few;
}
