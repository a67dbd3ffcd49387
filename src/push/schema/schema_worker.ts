/**
 * The worker that compiles providers' schemas and checks rows against them, one job at a time.
 *
 * It caches compiled schemas by the caller's key. If it can't stop a job by itself, the queue on the main thread
 * terminates it.
 *
 * @module
 */
import { LRUCache } from "lru-cache";
import type { FeedType } from "../../feeds/find.ts";
import type { SavedDefinition } from "../../feeds/save.ts";
import type { SchemaComparison } from "../../feeds/schema_changes.ts";
import { assert, unreachable } from "../../lib/assert.ts";
import { US_PER_MS } from "../../lib/time_units.ts";
import { ERRORS_LISTED_MAX, SCHEMA_BYTES_MAX } from "../../limits.ts";
import { CheckRun, StepsSpent } from "./check_run.ts";
import { compareSchemas } from "./compare_schemas.ts";
import { type CompiledSchema, compileSchema } from "./compile_schema.ts";
import { parseExactly } from "./exact_numbers.ts";
import { SchemaRefused } from "./schema_refused.ts";
import { warningsOf } from "./schema_warnings.ts";
import type { FromWorker, InvalidRows, Job, JobOutcome, RowError } from "./worker_messages.ts";

declare const self: Worker;

/**
 * Steps of one push. 500 rows of 250 bytes take about 4,000, and 4 MiB of GeoJSON about 1,000,000. A push that uses all
 * of them takes half a second.
 */
const STEPS_MAX = 10_000_000;
/** Steps for describing the mistakes of a push. Each remaining row then counts as one mistake. */
const EXPLAIN_STEPS_MAX = 2_000_000;
/** Compiled schemas that a worker caches, and their total weight in characters and pattern instructions. */
const KEPT_MAX = 500;
const KEPT_WEIGHT_MAX = 4_000_000;

const STEPS_DETAIL =
  "validating these rows takes too many steps; simplify the schema or push fewer rows";

const kept = new LRUCache<string, CompiledSchema>({ max: KEPT_MAX, maxSize: KEPT_WEIGHT_MAX });

self.onmessage = (event: MessageEvent<Job>) => {
  const startedMs = threadMs();
  const outcome = perform(event.data);
  send({ kind: "done", outcome, processorMs: threadMs() - startedMs });
};
send("ready");

function send(message: FromWorker): void {
  self.postMessage(message);
}

function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / US_PER_MS;
}

function perform(job: Job): JobOutcome {
  try {
    switch (job.kind) {
      case "compile":
        compile(job.text);
        return { kind: "valid" };
      case "review":
        return { kind: "reviewed", warnings: review(job.definition) };
      case "compare":
        return { kind: "compared", comparison: compare(job.before, job.after) };
      case "validate":
        return validateRows(findOrCompile(job.key, job.text), rowsOf(job.rows));
      default:
        return unreachable(job);
    }
  } catch (error) {
    if (error instanceof SchemaRefused) {
      return { kind: "invalid_schema", detail: error.message, pointer: error.pointer };
    }
    if (isBudgetSpent(error)) return { kind: "over_budget", detail: STEPS_DETAIL };
    return { kind: "failed", detail: error instanceof Error ? error.message : String(error) };
  }
}

/** Besides steps and time, a schema can also exhaust the stack. */
function isBudgetSpent(error: unknown): boolean {
  return error instanceof StepsSpent || error instanceof RangeError;
}

function review({ schema: text, sample, feedType, newestRows }: SavedDefinition): string[] {
  const compiled = compile(text);
  const ofSample = validateRows(compiled, sampleRows(sample, feedType));
  const ofRows = validateRows(compiled, newestRows.map(parseExactly));
  return warningsOf({
    schema: parseExactly(text),
    hasFormat: compiled.hasFormat,
    misspelt: compiled.findMisspelt(),
    feedType,
    sampleError: ofSample.kind === "invalid" ? ofSample.errors[0] : undefined,
    rowsChecked: newestRows.length,
    rowsFailed: ofRows.kind === "invalid" ? ofRows.rowCount : 0,
    rowError: ofRows.kind === "invalid" ? ofRows.errors[0] : undefined,
  });
}

function compare(before: string | null, after: string | null): SchemaComparison {
  const parsed = (text: string | null) => (text === null ? null : parseExactly(text));
  return compareSchemas(parsed(before), parsed(after));
}

/** A sample may be one row or several. A singleton's sample is the document. */
function sampleRows(text: string | null, feedType: FeedType | null): unknown[] {
  if (text === null) return [];
  const sample = parseExactly(text);
  return Array.isArray(sample) && feedType !== "singleton" ? sample : [sample];
}

/** The rows of a push, which arrive as the text of an array. */
function rowsOf(text: string): unknown[] {
  const rows = parseExactly(text);
  assert(Array.isArray(rows), "rows come as an array");
  return rows;
}

function compile(text: string): CompiledSchema {
  // A text is never longer in UTF-16 units than in UTF-8 bytes.
  if (text.length > SCHEMA_BYTES_MAX) {
    throw new SchemaRefused(`a schema must have at most ${SCHEMA_BYTES_MAX} bytes`, "");
  }
  return compileSchema(parseExactly(text));
}

function findOrCompile(key: string, text: string): CompiledSchema {
  const known = kept.get(key);
  if (known !== undefined) return known;
  const schema = compile(text);
  kept.set(key, schema, { size: text.length + schema.instructions });
  return schema;
}

/** Most rows are valid, so mistakes are collected only for rows that turn out to be invalid. */
function validateRows(
  schema: CompiledSchema,
  rows: readonly unknown[],
): InvalidRows | { readonly kind: "valid" } {
  const run = new CheckRun({ stepsMax: STEPS_MAX, isExplaining: false });
  const failed = [...rows.entries()].filter(([, row]) => !schema.isValid(row, run));
  if (failed.length === 0) return { kind: "valid" };
  const errors: RowError[] = [];
  let errorCount = 0;
  let stepsMax = EXPLAIN_STEPS_MAX;
  for (const [row, value] of failed) {
    const found = explain(schema, value, stepsMax);
    stepsMax = found.stepsLeft;
    errorCount += found.errorCount;
    errors.push(...found.errors.map((error) => ({ row, ...error })));
  }
  const rowCount = failed.length;
  return { kind: "invalid", errorCount, rowCount, errors: errors.slice(0, ERRORS_LISTED_MAX) };
}

/** All mistakes of a row, or only the first if finding all takes more steps than are left. */
function explain(schema: CompiledSchema, row: unknown, stepsMax: number) {
  const run = new CheckRun({ stepsMax, isExplaining: true });
  try {
    schema.isValid(row, run);
    return run;
  } catch (error) {
    if (!isBudgetSpent(error)) throw error;
    const first = run.errors[0] ?? { pointer: "", message: "must match the schema" };
    return { errors: [first], errorCount: 1, stepsLeft: 0 };
  }
}
