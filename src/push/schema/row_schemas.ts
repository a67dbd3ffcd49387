/**
 * Checks schemas, and checks pushed rows against them.
 *
 * A schema is an untrusted program, so it is compiled and run in a worker. A hostile one costs that worker seconds, and
 * the main thread nothing. There are three limits: compiled schemas are bounded in size, running ones count their
 * steps, and the worker is terminated if a job exceeds its time.
 *
 * There are two queues, each with its own worker: one for pushes, one for create and edit. A schema that was slow once,
 * or exceeded its time, always runs in the second one afterwards, so it can delay other providers' pushes only once.
 *
 * See `src/spec/decisions.md`, sections 4 and 5.
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

/** More jobs are waiting than can be done in time. */
type Busy = Extract<SchemaCheck, { readonly kind: "busy" }>;

/** `invalid_schema`: the stored schema does not compile. */
export type RowsCheck = SchemaCheck | InvalidRows | OverBudget;

interface RowSchemasOptions {
  /** The worker's module. @default next to this file, or inside the compiled binary */
  readonly workerUrl?: URL;
  /** Processor time for one schema to compile, in milliseconds. @default COMPILE_MS */
  readonly compileMs?: number;
  /** Processor time for the rows of one push, in milliseconds. @default VALIDATE_MS */
  readonly validateMs?: number;
  readonly processorMs?: WorkerQueueOptions["processorMs"];
}

export interface RowSchemas {
  /** Compiles a schema, so that create and edit refuse an invalid one. */
  checkSchema(schemaText: string, caller: Caller): Promise<SchemaCheck>;
  /** Warnings for the provider, one sentence each. */
  findWarnings(definition: SavedDefinition, caller: Caller): Promise<readonly string[]>;
  /** What changes for readers when a feed's schema is replaced. Both schemas are JSON texts, or null for none. */
  compareSchemas(
    before: string | null,
    after: string | null,
    caller: Caller,
  ): Promise<SchemaComparison | Busy>;
  /** Checks all rows of one push. Each must be well-formed JSON. */
  validateRows(schemaText: string, rows: readonly string[], caller: Caller): Promise<RowsCheck>;
  /** Ends the workers. Pending jobs get `busy`. */
  close(): void;
  /** Schemas and pushes that are waiting for a worker. */
  readonly waiting: number;
}

/** Processor time for one schema to compile, in milliseconds. Typical ones take less than 1. */
const COMPILE_MS = 2_000;
/** Processor time for one push, in milliseconds, including compilation after a restart. Typical ones take 1. */
const VALIDATE_MS = 3_000;
/**
 * Processor time of a push, in milliseconds, above which its schema counts as slow. The largest typical ones take 100.
 */
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
      // Keyed by the text, because a definition also changes with its price. The account is part of the key, so that
      // one account's rows can't make another's schema slow.
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
const NOT_REVIEWED =
  "The schema and the sample were not reviewed, because this takes too long at the moment.";

const NOT_COMPARED: SchemaComparison = {
  compatibility: "unknown",
  changes: [
    { path: "", change: "can't be compared", why: "comparing these schemas takes too long" },
  ],
};

/** Judged by the job's own cost. Waiting, or a busy machine, makes no schema slow. */
function isSlow(outcome: QueueOutcome): boolean {
  if (outcome.kind === "done") return outcome.processorMs >= SLOW_MS;
  return outcome.kind !== "busy";
}

/** The result of a job. Throws an internal error. */
function resultOf(outcome: QueueOutcome): Exclude<JobOutcome, { kind: "failed" }> | SchemaCheck {
  if (outcome.kind === "busy") return outcome;
  if (outcome.kind !== "done") return { kind: "over_budget", detail: TIME_DETAIL };
  const { outcome: result } = outcome;
  if (result.kind === "failed") throw new Error(`the schema worker failed: ${result.detail}`);
  return result;
}

/** A worker is a separate entry point, which `bun build --compile` adds to the binary as JavaScript. */
function defaultWorkerUrl(): URL {
  const path = IS_COMPILED ? "./push/schema/schema_worker.js" : "./schema_worker.ts";
  return new URL(path, import.meta.url);
}
