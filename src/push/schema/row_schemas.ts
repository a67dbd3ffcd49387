/**
 * Checks schemas, and pushed rows by them. Decisions 4, 5 and 10; beyond 12.
 *
 * A schema is a program that a stranger wrote, so it is compiled and run in a worker: a hostile one costs
 * that worker seconds, and the main thread nothing. Three walls hold it. What is compiled is bounded in
 * size, what runs counts its steps, and the worker is terminated if a job outlasts its time.
 *
 * There are two queues, each with a worker: one for pushes, one for create and edit. A schema that was slow
 * once, or outlasted its time, is run in the second one from then on, so that it can hold up other
 * providers' pushes only once.
 *
 * @module
 */
import type { SavedDefinition, SchemaCheck } from "../../feeds/save.ts";
import type { SchemaComparison } from "../../feeds/schema_changes.ts";
import { assert } from "../../lib/assert.ts";
import { BoundedMap } from "../../lib/bounded_map.ts";
import { IS_COMPILED } from "../../lib/own_process.ts";
import type { InvalidRows, JobOutcome, OverBudget } from "./worker_messages.ts";
import {
  type Caller,
  type QueueOutcome,
  WorkerQueue,
  type WorkerQueueOptions,
} from "./worker_queue.ts";

/** More jobs wait than are done in time. */
type Busy = Extract<SchemaCheck, { readonly kind: "busy" }>;

/** `invalid_schema`: the stored schema does not compile. */
export type RowsCheck = SchemaCheck | InvalidRows | OverBudget;

interface RowSchemasOptions {
  /** The worker's module. @default beside this file, or inside the compiled binary */
  readonly workerUrl?: URL;
  /** Processor time for one schema to compile, in milliseconds. @default COMPILE_MS */
  readonly compileMs?: number;
  /** The same for the rows of one push. @default VALIDATE_MS */
  readonly validateMs?: number;
  readonly processorMs?: WorkerQueueOptions["processorMs"];
}

export interface RowSchemas {
  /** Compiles a schema, so that a bad one is refused at create and edit. */
  checkSchema(schemaText: string, caller: Caller): Promise<SchemaCheck>;
  /** Warnings for the provider, one sentence each. */
  findWarnings(definition: SavedDefinition, caller: Caller): Promise<readonly string[]>;
  /** What changes for readers of a feed whose schema is replaced: JSON texts, or null for none. Beyond 7. */
  compareSchemas(
    before: string | null,
    after: string | null,
    caller: Caller,
  ): Promise<SchemaComparison | Busy>;
  /** Checks all rows of one push: JSON texts that are known to be well-formed. */
  validateRows(schemaText: string, rows: readonly string[], caller: Caller): Promise<RowsCheck>;
  /** Ends the workers. Jobs that still wait are answered with `busy`. */
  close(): void;
  /** Schemas and pushes that wait for a worker. */
  readonly waiting: number;
}

/** Processor time for one schema to compile, in milliseconds. Usual ones take less than 1. */
const COMPILE_MS = 2_000;
/** The same for one push, compiling after a restart included. Usual ones take 1. */
const VALIDATE_MS = 3_000;
/** The same of a push from which on its schema counts as slow. The largest usual ones take 100. */
export const SLOW_MS = 300;
/** Schemas remembered as slow. */
const SLOW_KEYS_MAX = 1_000;

assert(SLOW_MS < VALIDATE_MS, "a schema is slow before it is stopped");

export function createRowSchemas(options: RowSchemasOptions = {}): RowSchemas {
  const { workerUrl = defaultWorkerUrl(), compileMs = COMPILE_MS } = options;
  const { validateMs = VALIDATE_MS, processorMs } = options;
  const pushes = new WorkerQueue({ workerUrl, processorMs });
  const checks = new WorkerQueue({ workerUrl, processorMs });
  const slowKeys = new BoundedMap<string, true>(SLOW_KEYS_MAX);

  return {
    async checkSchema(text, caller) {
      const result = resultOf(
        await checks.run({ kind: "compile", text }, { timeMs: compileMs, caller }),
      );
      const { kind } = result;
      if (kind === "valid" || kind === "invalid_schema" || kind === "busy") return result;
      const detail = "the schema takes too long to compile; simplify it";
      return { kind: "invalid_schema", detail, pointer: "" };
    },
    async findWarnings(definition, caller) {
      const job = { kind: "review", definition } as const;
      const result = resultOf(await checks.run(job, { timeMs: compileMs, caller }));
      return result.kind === "reviewed" ? result.warnings : [NOT_REVIEWED];
    },
    async compareSchemas(before, after, caller) {
      const job = { kind: "compare", before, after } as const;
      const result = resultOf(await checks.run(job, { timeMs: compileMs, caller }));
      if (result.kind === "busy") return result;
      return result.kind === "compared" ? result.comparison : NOT_COMPARED;
    },
    async validateRows(text, rows, caller) {
      // A definition also changes with its price, so the key is the text's. It names the account, so that
      // nobody's rows make another's schema slow.
      const key = `${caller.accountId} ${Bun.SHA256.hash(text, "base64")}`;
      const queue = slowKeys.has(key) ? checks : pushes;
      const job = { kind: "validate", key, text, rows: `[${rows.join(",")}]` } as const;
      const outcome = await queue.run(job, { timeMs: validateMs, caller });
      if (isSlow(outcome)) slowKeys.set(key, true);
      const result = resultOf(outcome);
      assert(
        result.kind !== "reviewed" && result.kind !== "compared",
        "rows are checked, not reviewed",
      );
      return result;
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

const TIME_DETAIL = "validating these rows takes too long; simplify the schema or push fewer rows";
const NOT_REVIEWED = "The schema and the sample were not looked at: to do so takes too long now.";

const NOT_COMPARED: SchemaComparison = {
  compatibility: "unknown",
  changes: [
    { path: "", change: "can't be compared", why: "to compare these schemas takes too long" },
  ],
};

/** By the job's own cost: to have waited, or run on a busy machine, makes no schema slow. */
function isSlow(outcome: QueueOutcome): boolean {
  if (outcome.kind === "done") return outcome.processorMs >= SLOW_MS;
  return outcome.kind !== "busy";
}

/** What came of a job. A fault of ours is thrown. */
function resultOf(outcome: QueueOutcome): Exclude<JobOutcome, { kind: "failed" }> | SchemaCheck {
  if (outcome.kind === "busy") return outcome;
  if (outcome.kind !== "done") return { kind: "over_budget", detail: TIME_DETAIL };
  const { outcome: result } = outcome;
  if (result.kind === "failed") throw new Error(`the schema worker failed: ${result.detail}`);
  return result;
}

/** A worker is an entry point of its own, which `bun build --compile` puts into the binary as JavaScript. */
function defaultWorkerUrl(): URL {
  const path = IS_COMPILED ? "./push/schema/schema_worker.js" : "./schema_worker.ts";
  return new URL(path, import.meta.url);
}
