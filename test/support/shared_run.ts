/**
 * How `bun test` is called by what runs many test files.
 *
 * @module
 */

/** No bound on pace: it ends what hangs. */
export const TIMEOUT = "--timeout=300000";
/** How long each file takes: `bun run test --update-timings` writes it. */
export const TIMINGS = "test/timings.json";
/** Two for each of the two cores that it is meant for, since half of the time is spent waiting. */
const PROCESSES = 4;

/** A few processes share the files: each takes the next when it is done with one, the slowest first. */
export function sharedBy(): readonly string[] {
  return [`--parallel=${PROCESSES}`, "--no-isolate", `--timings=${TIMINGS}`];
}

/**
 * What test processes run with. By default, the allocator gives freed memory back to the system within milliseconds,
 * and test processes, which free and take a lot, spend a third of their processor time on that. -1: never.
 */
export const TEST_ENVIRONMENT = { MIMALLOC_PURGE_DELAY: "-1" };
