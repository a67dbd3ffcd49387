/**
 * The bounds of row validation: unit, reason, and the relations between them.
 *
 * A provider's schema is a program that a stranger wrote. Three walls hold it: what is compiled is
 * bounded here in size; what runs counts its steps and stops at `STEPS_MAX`; and the worker that runs
 * it is terminated when a job outlasts `COMPILE_MS` or `VALIDATE_MS`.
 *
 * @module
 */
import { assert } from "../lib/assert.ts";

/** Subschemas in a schema: 256 KiB could hold 60,000, which take ajv seconds and 1 GiB. */
export const SUBSCHEMAS_MAX = 5_000;
/** Instructions of all patterns of a schema: `[a-z]{1,1000}` has 2,000, at some 100 bytes each. */
export const PATTERN_INSTRUCTIONS_MAX = 100_000;
/** Characters matched, times the size of the pattern, before all automata of a worker are dropped. */
export const MATCHER_UNITS_MAX = 100_000_000;
/** Characters of one pattern. The longest in public schema stores are about 2,000. */
export const PATTERN_CHARS_MAX = 4_096;

/**
 * Steps of one push: calls, loop turns, errors and characters matched. 500 rows of 250 bytes take some
 * 12,000; 4 MiB of GeoJSON some 2,000,000. A push that uses all of them up takes half a second.
 */
export const STEPS_MAX = 10_000_000;
/** Steps that one error costs, also one of a branch that is tried in vain. */
export const STEPS_PER_ERROR = 10;
/** Errors that are held at once: each is 150 bytes, and a reference copies the list of them. */
export const HELD_ERRORS_MAX = 100_000;
/** Steps that finding all errors of the failed rows may take; what is left counts one a row. */
export const EXPLAIN_STEPS_MAX = 2_000_000;

/** Characters of one message: a schema may name a property of 200,000. */
export const MESSAGE_CHARS_MAX = 300;

/** Processor time for one schema to compile, in milliseconds. Usual ones take 2 to 5. */
export const COMPILE_MS = 2_000;
/** The same for one push, compiling after a restart included. Usual ones take 1. */
export const VALIDATE_MS = 3_000;
/** The same of a push from which on its schema counts as slow. The largest usual ones take 100. */
export const SLOW_MS = 300;
/** A job may last so many times as long where the machine has no processor for it. */
export const JOB_LATENESS_MAX = 3;
/** Time for a worker to load, in milliseconds. Usual is 60; a machine under load is slow. */
export const START_MS = 15_000;
/** Starts of one job, before its schema is held to be what brings the worker down. */
export const ATTEMPTS_MAX = 2;

/** Compiled schemas that a worker keeps. One takes 20 to 200 KiB. */
export const VALIDATORS_MAX = 500;
/** Characters of schema text and instructions of patterns behind them: 500 large ones are too much. */
export const VALIDATOR_WEIGHT_MAX = 4_000_000;
/** Jobs that wait for a worker, an account's at most as many as it leaves free; more are told `busy`. */
export const WAITING_MAX = 256;
/** Schemas remembered as slow. */
export const SLOW_KEYS_MAX = 1_000;

assert(COMPILE_MS < VALIDATE_MS, "what compiled at create has time left for rows after a restart");
assert(SLOW_MS < VALIDATE_MS, "a schema is slow before it is stopped");
assert(EXPLAIN_STEPS_MAX < STEPS_MAX, "explaining costs less than deciding");
