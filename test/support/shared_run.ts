/**
 * The arguments of `bun test` for runs of many test files.
 *
 * @module
 */

/** Not a limit of pace: it ends tests that hang. */
export const TIMEOUT = "--timeout=300000";
/** The duration of each file, written by `bun run test --update-timings`. */
export const TIMINGS = "test/timings.json";
/** Two for each of the two intended cores, because half of the time is spent waiting. */
const PROCESSES = 4;

/** A few processes share the files. Each takes the next file when it has finished one, the slowest files first. */
export function sharedBy(): readonly string[] {
  return [`--parallel=${PROCESSES}`, "--no-isolate", `--timings=${TIMINGS}`];
}

/**
 * The environment of test processes. By default, the allocator returns freed memory to the system within milliseconds,
 * on which test processes, which allocate a lot, spend a third of their processor time. -1 means never.
 */
export const TEST_ENVIRONMENT = { MIMALLOC_PURGE_DELAY: "-1" };
