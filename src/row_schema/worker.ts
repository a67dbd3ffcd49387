/**
 * The worker that compiles providers' schemas and runs them on rows, one job at a time.
 *
 * It keeps what it compiled by the caller's key, the least recently used going first. What it cannot
 * stop by itself, the lane on the main thread does by terminating it.
 *
 * @module
 */
import { US_PER_MS } from "../lib/time_units.ts";
import { ERRORS_LISTED_MAX, SCHEMA_BYTES_MAX } from "../limits.ts";
import { Budget, BudgetSpent } from "./budget.ts";
import { compileRowSchema, type RowValidator, type ValueError } from "./guarded_ajv.ts";
import type { FromWorker, Job, JobOutcome, RowError } from "./jobs.ts";
import { EXPLAIN_STEPS_MAX, STEPS_MAX, VALIDATOR_WEIGHT_MAX, VALIDATORS_MAX } from "./limits.ts";
import { SchemaRefused } from "./schema_refused.ts";
import { ValidatorCache } from "./validator_cache.ts";

declare const self: Worker;

const budget = new Budget();
const validators = new ValidatorCache<RowValidator>({
  sizeMax: VALIDATORS_MAX,
  weightMax: VALIDATOR_WEIGHT_MAX,
});

self.onmessage = (event: MessageEvent<Job>) => {
  const startedMs = threadMs();
  const outcome = perform(event.data);
  send({ kind: "done", outcome, processorMs: threadMs() - startedMs });
};
send({ kind: "ready" });

function send(message: FromWorker): void {
  self.postMessage(message);
}

/** Processor time of this thread so far. */
function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / US_PER_MS;
}

function perform(job: Job): JobOutcome {
  try {
    if (job.kind === "check") {
      compile(job.text);
      return { kind: "valid" };
    }
    return validateRows(findOrCompile(job.key, job.text), JSON.parse(job.rows));
  } catch (error) {
    if (error instanceof SchemaRefused) return { kind: "invalid_schema", detail: error.message };
    // The stack is the third thing, with steps and time, that a schema can use up.
    if (error instanceof RangeError) {
      return { kind: "over_budget", detail: "the schema nests, or refers on, too deeply" };
    }
    if (error instanceof BudgetSpent) return { kind: "over_budget", detail: error.message };
    return { kind: "failed", detail: error instanceof Error ? error.message : String(error) };
  }
}

function compile(text: string): RowValidator {
  // As UTF-16 it is no longer than as UTF-8.
  if (text.length > SCHEMA_BYTES_MAX) {
    throw new SchemaRefused(`a schema has at most ${SCHEMA_BYTES_MAX} bytes`);
  }
  return compileRowSchema(parseSchema(text), budget);
}

function parseSchema(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new SchemaRefused("the schema is not JSON");
  }
}

function findOrCompile(key: string, text: string): RowValidator {
  const known = validators.find(key);
  if (known !== undefined) return known;
  const validator = compile(text);
  validators.add(key, { validator, weight: text.length + validator.instructions });
  return validator;
}

interface FailedRow {
  readonly row: number;
  readonly value: unknown;
  readonly first: ValueError;
}

function validateRows(validator: RowValidator, rows: readonly unknown[]): JobOutcome {
  budget.refill(STEPS_MAX);
  const failed: FailedRow[] = [];
  for (const [row, value] of rows.entries()) {
    const first = validator.findError(value);
    if (first !== undefined) failed.push({ row, value, first });
  }
  return failed.length === 0 ? { kind: "valid" } : explainRows(validator, failed);
}

/**
 * Deciding stops at a row's first error, since collecting all of them can fill the memory: each item of
 * an array may fail each branch of a schema. They are collected for failed rows only, within steps of
 * their own; once those are spent, every row that is left counts as one error.
 */
function explainRows(validator: RowValidator, failed: readonly FailedRow[]): JobOutcome {
  budget.refill(EXPLAIN_STEPS_MAX);
  const errors: RowError[] = [];
  let errorCount = 0;
  let isAffordable = true;
  for (const { row, value, first } of failed) {
    const found: ValueError[] | undefined = isAffordable ? explain(validator, value) : undefined;
    isAffordable = found !== undefined;
    const all = found === undefined || found.length === 0 ? [first] : found;
    errorCount += all.length;
    const room = ERRORS_LISTED_MAX - errors.length;
    errors.push(...all.slice(0, room).map((error) => ({ row, ...error })));
  }
  return { kind: "invalid", errorCount, errors };
}

/** Undefined where it costs more than is left. */
function explain(validator: RowValidator, value: unknown): ValueError[] | undefined {
  try {
    return validator.explain(value);
  } catch (error) {
    if (error instanceof BudgetSpent || error instanceof RangeError) return undefined;
    if (error instanceof SchemaRefused) return undefined;
    throw error;
  }
}
