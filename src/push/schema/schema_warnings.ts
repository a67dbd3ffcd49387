/**
 * Warnings at create and edit: definitions that are valid, but probably not what the provider meant.
 *
 * See `src/spec/beyond.md`, section 12.
 *
 * @module
 */
import type { FeedType } from "../../feeds/find.ts";
import { excerpt } from "../../lib/code_points.ts";
import { isObject } from "../../lib/records.ts";
import type { ValueError } from "./check_run.ts";
import type { MisspeltKeyword } from "./compile_schema.ts";
import { NULLABLE } from "./schema_keywords.ts";

/** The warnings that create and edit return, one sentence each. */
export function warningsOf(options: {
  readonly schema: unknown;
  /** Whether it contains the keyword `format`. */
  readonly hasFormat: boolean;
  /** Null until the first push decides. */
  readonly feedType: FeedType | null;
  /** The first mistake in the sample. Undefined if there is no sample, or if it is valid. */
  readonly sampleError: ValueError | undefined;
  readonly misspelt: readonly MisspeltKeyword[];
  /**
   * If the schema is locked: how many of the newest rows were checked, how many of them fail it, and the first
   * mistake.
   */
  readonly rowsChecked: number;
  readonly rowsFailed: number;
  readonly rowError: ValueError | undefined;
}): string[] {
  const { schema, hasFormat, feedType, sampleError, misspelt } = options;
  const warnings: string[] = [];
  for (const { name, meant, pointer } of misspelt) {
    const where = pointer === "" ? "" : ` at ${pointer}`;
    const advice =
      name === NULLABLE ? `list "null" in "${meant}" instead.` : `did you mean "${meant}"?`;
    warnings.push(
      `The keyword ${JSON.stringify(excerpt(name))} in schema_definition${where} is unknown and checks nothing; ${advice}`,
    );
  }
  if (hasFormat) {
    warnings.push("format in schema_definition is an annotation and is not checked; use pattern.");
  }
  if (sampleError !== undefined) {
    const { pointer, message } = sampleError;
    warnings.push(
      `sample_response does not meet schema_definition: ${pointer || "a row"} ${message}.`,
    );
  }
  const { rowsChecked, rowsFailed, rowError } = options;
  if (rowError !== undefined) {
    const mistake = `${rowError.pointer || "a row"} ${rowError.message}`;
    warnings.push(
      feedType === "singleton"
        ? `The stored document fails schema_definition, which is locked: ${mistake}.`
        : `Of the newest ${rowsChecked} rows, ${rowsFailed} fail schema_definition, which is locked: ${mistake}.`,
    );
  }
  if (isForArray(schema)) {
    const unit = feedType === "singleton" ? "document, an object" : "row";
    warnings.push(`schema_definition describes an array, though it is for one ${unit}.`);
  } else if ((feedType === "collection" || feedType === "stream") && !namesId(schema)) {
    warnings.push(
      `schema_definition names no property "id", which each row of a ${feedType} must have.`,
    );
  }
  return warnings;
}

/** Whether no row can meet the schema, because a row is an object. */
function isForArray(schema: unknown): boolean {
  return isObject(schema) && [schema.type].flat().join() === "array";
}

/** Whether the schema names `id`, or may do so in subschemas that this function does not analyze. */
function namesId(schema: unknown): boolean {
  if (!isObject(schema)) return true;
  const isComposed = ["$ref", "$dynamicRef", "allOf", "anyOf", "oneOf"].some(
    (keyword) => keyword in schema,
  );
  return isComposed || (isObject(schema.properties) && Object.hasOwn(schema.properties, "id"));
}
