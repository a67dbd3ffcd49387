/**
 * Validation of pushed rows against the provider's own JSON Schema. Decisions 4, 5 and 10.
 *
 * The schema is a stranger's, so it is compiled and run in a worker: a hostile one costs that worker
 * seconds, and the main thread nothing. In go the texts of the schema and of the rows; out comes a named
 * outcome with pointers into the rows.
 *
 * There are two lanes, each with a worker: one for pushes, one for checks at create and edit. In both,
 * accounts take turns. A schema that was slow once, or outlasted its time, is run in the second one from
 * then on, so that it can hold up other providers' pushes only once.
 *
 * Draft 2020-12 and draft-07; `format` and `content*` are annotations; unknown keywords are ignored;
 * numbers are compared as doubles.
 *
 * @module
 */
import { assert, unreachable } from "../lib/assert.ts";
import { BoundedMap } from "../lib/bounded_map.ts";
import { IS_COMPILED } from "../lib/own_process.ts";
import type { JobOutcome, RowError } from "./jobs.ts";
import { type Caller, Lane, type LaneOptions, type LaneOutcome } from "./lane.ts";
import { COMPILE_MS, SLOW_KEYS_MAX, SLOW_MS, VALIDATE_MS } from "./limits.ts";

export type { RowError } from "./jobs.ts";
export type { Caller } from "./lane.ts";

/** What is compiled and remembered under one key. */
export interface KeyedSchema {
  /** Another text needs another key. */
  readonly key: string;
  /** JSON text of `schema_definition`. */
  readonly text: string;
}

export type SchemaCheck =
  | { readonly kind: "valid" }
  /** 422 `SCHEMA_INVALID`. */
  | { readonly kind: "invalid"; readonly detail: string }
  | Busy;

export type RowsCheck =
  | { readonly kind: "valid" }
  /**
   * `errors` are the first 20. `errorCount` is for all rows: every error of each, or one a row where
   * collecting them would cost too much.
   */
  | { readonly kind: "invalid"; readonly errorCount: number; readonly errors: readonly RowError[] }
  /** The stored schema does not compile. */
  | { readonly kind: "schema_unusable"; readonly detail: string }
  /** These rows take more steps or time than a push has. */
  | { readonly kind: "over_budget"; readonly detail: string }
  | Busy;

/** More wait than are ever worked off in time, or the machine is too busy for this one: 503. */
export interface Busy {
  readonly kind: "busy";
}

export interface RowSchemasOptions {
  /** Where the worker is. @default beside this file, or inside the compiled binary */
  readonly workerUrl?: URL;
  /** Processor time for one schema to compile, in milliseconds. @default COMPILE_MS */
  readonly compileMs?: number;
  /** The same for the rows of one push. @default VALIDATE_MS */
  readonly validateMs?: number;
  readonly processorMs?: LaneOptions["processorMs"];
}

export interface RowSchemas {
  /** Compiles; used at create and edit, so that a bad schema is refused there. */
  checkSchema(schemaText: string, caller: Caller): Promise<SchemaCheck>;
  /** Validates all rows of one push: JSON texts, already known to be well-formed. */
  validateRows(schema: KeyedSchema, rows: readonly string[], caller: Caller): Promise<RowsCheck>;
  /** Ends the workers; what still waits is told `busy`. */
  close(): void;
  /** Schemas and pushes that wait for a worker. */
  readonly waiting: number;
}

export function createRowSchemas(options: RowSchemasOptions = {}): RowSchemas {
  const { workerUrl = defaultWorkerUrl(), compileMs = COMPILE_MS } = options;
  const { validateMs = VALIDATE_MS, processorMs } = options;
  const pushes = new Lane({ workerUrl, processorMs });
  const checks = new Lane({ workerUrl, processorMs });
  const slowKeys = new BoundedMap<string, true>(SLOW_KEYS_MAX);

  return {
    async checkSchema(text, caller) {
      return toSchemaCheck(
        await checks.run({ kind: "check", text }, { timeMs: compileMs, caller }),
      );
    },
    async validateRows({ key, text }, rows, caller) {
      const lane = slowKeys.has(key) ? checks : pushes;
      const outcome = await lane.run(
        { kind: "validate", key, text, rows: `[${rows.join(",")}]` },
        { timeMs: validateMs, caller },
      );
      if (isSlow(outcome)) slowKeys.set(key, true);
      return toRowsCheck(outcome);
    },
    close() {
      pushes.close();
      checks.close();
    },
    get waiting() {
      return pushes.waiting + checks.waiting;
    },
  };
}

/** By the job's own cost: to have waited, or run on a busy machine, makes no schema slow. */
function isSlow(outcome: LaneOutcome): boolean {
  switch (outcome.kind) {
    case "done":
      return outcome.processorMs >= SLOW_MS;
    case "timed_out":
    case "crashed":
      return true;
    case "busy":
      return false;
    default:
      return unreachable(outcome);
  }
}

/**
 * A worker is an entry point of its own: `bun build --compile src/main.ts src/row_schema/worker.ts`
 * puts it into the binary under its path from the common folder, as JavaScript.
 */
function defaultWorkerUrl(): URL {
  return new URL(IS_COMPILED ? "./row_schema/worker.js" : "./worker.ts", import.meta.url);
}

const TIME_DETAIL = "validating these rows takes too long; simplify the schema or push fewer rows";
const STEPS_DETAIL =
  "validating these rows takes too many steps; simplify the schema or push fewer rows";

function toSchemaCheck(outcome: LaneOutcome): SchemaCheck {
  switch (outcome.kind) {
    case "busy":
      return outcome;
    case "timed_out":
    case "crashed":
      return { kind: "invalid", detail: "the schema takes too long to compile; simplify it" };
    case "done":
      return fromCheck(outcome.outcome);
    default:
      return unreachable(outcome);
  }
}

function fromCheck(outcome: JobOutcome): SchemaCheck {
  assert(outcome.kind !== "failed", `checking a schema failed: ${detailOf(outcome)}`);
  if (outcome.kind === "valid") return outcome;
  return { kind: "invalid", detail: detailOf(outcome) };
}

function toRowsCheck(outcome: LaneOutcome): RowsCheck {
  switch (outcome.kind) {
    case "busy":
      return outcome;
    case "timed_out":
    case "crashed":
      return { kind: "over_budget", detail: TIME_DETAIL };
    case "done":
      return fromRows(outcome.outcome);
    default:
      return unreachable(outcome);
  }
}

function fromRows(outcome: JobOutcome): RowsCheck {
  assert(outcome.kind !== "failed", `validating rows failed: ${detailOf(outcome)}`);
  if (outcome.kind === "valid" || outcome.kind === "invalid") return outcome;
  if (outcome.kind === "over_budget") return { kind: "over_budget", detail: STEPS_DETAIL };
  return { kind: "schema_unusable", detail: detailOf(outcome) };
}

function detailOf(outcome: JobOutcome): string {
  return "detail" in outcome ? outcome.detail : "the schema cannot be used";
}
