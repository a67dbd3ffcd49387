/**
 * Parses a push: takes the text of its body, the feed's type, and the limits, and returns a `Push` or a refusal.
 *
 * Checks run in this order: JSON syntax for a body that has no rows to count; size (body, row count, first row too
 * large); values that rows may not contain; shape and meaning. Rows keep the provider's own text. See
 * `src/spec/decisions.md`, section 5.
 *
 * @module
 */
import type { FeedType } from "../feeds/find.ts";
import { excerpt, hasAtMost } from "../lib/code_points.ts";
import type { FieldError } from "../lib/field_error.ts";
import {
  boundedPointer,
  findMember,
  type JsonSpan,
  JsonSyntaxError,
  type JsonText,
  pointerTo,
  scanJson,
  stringOf,
  textOf,
} from "../lib/json_text.ts";
import { lengthOf } from "../lib/typebox.ts";
import { BATCH_ID_LENGTH_MAX, ERRORS_LISTED_MAX, JSON_DEPTH_MAX, type Limits } from "../limits.ts";
import {
  checkRow,
  type FoundRow,
  findTooDeep,
  isRowTooLarge,
  named,
  type PushedRow,
  scanRow,
} from "./rows/check_row.ts";

/** A body as received. */
export interface PushBody {
  readonly kind: "body";
  readonly text: string;
  /** Counted after gzip decoding, like the limits. */
  readonly bytes: number;
  /** One JSON text, or one row per line. */
  readonly form: "json" | "ndjson";
}

interface PushRules {
  /** Null until the first push decides. */
  readonly feedType: FeedType | null;
  readonly limits: Limits;
}

export interface Push {
  readonly feedType: FeedType;
  readonly rows: readonly PushedRow[];
  readonly batchId: string | null;
  readonly isComplete: boolean;
}

/** 413, with the hints that the interface requires. */
export interface TooLarge {
  readonly kind: "too_large";
  readonly limit: "singleton_body" | "request_body" | "row_count" | "row_payload";
  /** Bytes, or rows for `row_count`. */
  readonly most: number;
  readonly rowIndex?: number;
}

/** 400: the body is not JSON. */
export interface NotJson {
  readonly kind: "not_json";
  readonly message: string;
}

/** 422. */
export interface Invalid {
  readonly kind: "invalid";
  /** The first mistakes. */
  readonly errors: readonly FieldError[];
  /** The number of all mistakes. */
  readonly errorCount: number;
  /** The number of rows that the schema refuses, if it was checked. */
  readonly rowCount?: number;
}

/** A body that was split into rows. */
interface ParsedRows {
  readonly kind: "rows";
  readonly push: Push;
  /** Mistakes of the batch and the rows. If there are any, the push is not stored. */
  readonly mistakes: readonly FieldError[];
  /** The rows that can be checked by a schema. Empty if a document has a mistake. */
  readonly soundRows: readonly PushedRow[];
}

export type ParseOutcome = ParsedRows | TooLarge | NotJson | Invalid;

/** A row is inside at most a wrapper and an array. */
const BODY_HEIGHT_MAX = JSON_DEPTH_MAX + 2;
const WRAPPER_KEYS: readonly string[] = ["payload", "batch_id", "batch_complete"];
/** Keys under which providers of other services send a list of rows. */
const LIST_KEYS: readonly string[] = ["rows", "data", "items", "records"];

/** Decides what a body means. `body.bytes` must be within the limit that it was read with. */
export function parsePush(body: PushBody, rules: PushRules): ParseOutcome {
  try {
    const found = body.form === "ndjson" ? readLines(body, rules) : readText(body, rules);
    if ("kind" in found) return found;
    const { refusals, refusalCount } = found;
    const tooLarge = findTooLarge(body, found, rules.limits);
    if (tooLarge !== undefined) return tooLarge;
    if (refusalCount > 0) return { kind: "invalid", errors: refusals, errorCount: refusalCount };
    return checkRows(found);
  } catch (error) {
    if (error instanceof JsonSyntaxError) return { kind: "not_json", message: error.message };
    throw error;
  }
}

/** The body limit for a feed of this type, before the body is read. For null, the singleton's. */
export function bodyLimitOf(feedType: FeedType | null, limits: Limits): TooLarge {
  return feedType === null || feedType === "singleton"
    ? { kind: "too_large", limit: "singleton_body", most: limits.singletonBodyBytes }
    : { kind: "too_large", limit: "request_body", most: limits.requestBodyBytes };
}

/** A body that is JSON, split into its parts. */
interface FoundRows {
  readonly feedType: FeedType;
  readonly rows: readonly FoundRow[];
  /** Whether the payload is a list of rows, rather than a single row or document. */
  readonly isList: boolean;
  /** The object around the rows, if there is one. */
  readonly wrapper: JsonText | undefined;
  /** Values that the texts may not contain, and mistakes in the wrapper. */
  readonly refusals: readonly FieldError[];
  readonly refusalCount: number;
}

function readText(body: PushBody, rules: PushRules): FoundRows {
  const json = scanJson(body.text, {
    spanDepth: spanDepthOf(body.text, rules.feedType),
    heightMax: BODY_HEIGHT_MAX,
    // Providers count the levels of a row. The body may be two levels deeper.
    heightNamed: JSON_DEPTH_MAX,
    refusalsMax: ERRORS_LISTED_MAX,
  });
  const { root, refusals, refusalCount } = json;
  const isWrapped = isWrapper(root);
  const payload = (isWrapped ? findMember(root, "payload") : undefined) ?? root;
  const base = isWrapped ? pointerTo("payload") : "";
  const feedType = rules.feedType ?? (payload.kind === "array" ? "collection" : "singleton");
  const isList = payload.kind === "array" && feedType !== "singleton";
  const rows = isList
    ? (payload.items ?? []).map((span, index) => ({
        json,
        span,
        pointer: `${base}/${index}`,
        index,
      }))
    : [{ json, span: payload, pointer: base, index: 0 }];
  const misread = refusalCount > 0 ? [] : wrappingMistakes({ root, payload, base }, rules.feedType);
  return {
    feedType,
    rows,
    isList,
    wrapper: isWrapped ? json : undefined,
    refusals: [...refusals, ...misread.slice(0, ERRORS_LISTED_MAX)],
    refusalCount: refusalCount + misread.length,
  };
}

/** Newline-delimited JSON: every line is a row. Empty lines are skipped. */
function readLines(body: PushBody, rules: PushRules): FoundRows | NotJson | TooLarge {
  const lines = body.text.split("\n");
  const filled = lines.flatMap((line, index) => (line.trim() === "" ? [] : [{ line, index }]));
  if (filled.length === 0) return { kind: "not_json", message: "the body has no line with a row" };
  if (filled.length > rules.limits.rows) return tooManyRows(rules.limits);
  const refusals: FieldError[] = [];
  let refusalCount = 0;
  const rows = filled.map(({ line, index }) => {
    const pointer = pointerTo(index);
    const refusalsMax = ERRORS_LISTED_MAX - refusals.length;
    const json = scanRow(line, { firstLine: index + 1, path: pointer, refusalsMax });
    refusals.push(...json.refusals);
    refusalCount += json.refusalCount;
    return { json, span: json.root, pointer, index };
  });
  const feedType = rules.feedType ?? "collection";
  return { feedType, rows, isList: true, wrapper: undefined, refusals, refusalCount };
}

/** How deep the parser must record spans: down to the fields of a row, below the wrapper and the array. */
function spanDepthOf(text: string, feedType: FeedType | null): number {
  if (feedType === "singleton") return 1;
  const isBareArray = /^[ \t\r\n]*\[/.test(text);
  return isBareArray ? 2 : 3;
}

/**
 * A wrapper is an object with `payload` and no other keys but `batch_id` and `batch_complete`. Any other body is the
 * payload itself.
 */
function isWrapper(root: JsonSpan): boolean {
  const keys = root.members?.map(({ key }) => key) ?? [];
  return keys.includes("payload") && keys.every((key) => WRAPPER_KEYS.includes(key));
}

/**
 * Mistakes in bodies that were meant as a wrapper but are not one. Stored as is, they would turn many rows into one,
 * and decide the type of a feed that has none.
 */
function wrappingMistakes(
  { root, payload, base }: { root: JsonSpan; payload: JsonSpan; base: string },
  feedType: FeedType | null,
): FieldError[] {
  const { members = [] } = root;
  const isMeantAsWrapper = payload === root && members.some(({ key }) => key === "payload");
  if (isMeantAsWrapper && feedType !== "singleton") {
    const others = members.filter(({ key }) => !WRAPPER_KEYS.includes(key));
    return others.map(({ key }) => ({
      path: boundedPointer(pointerTo(key)),
      message: `a wrapper contains only payload, batch_id and batch_complete; leave ${JSON.stringify(excerpt(key))} out`,
    }));
  }
  if (feedType === "singleton") return [];
  const fields = payload.members ?? [];
  // A feed with a type stores an object with an id as one row, whatever its fields.
  if (feedType !== null && fields.some(({ key }) => key === "id")) return [];
  const lists = fields.filter(({ value }) => value.kind === "array");
  const key = lists.length === 1 ? lists[0]?.key : undefined;
  if (key === undefined || !LIST_KEYS.includes(key)) return [];
  const otherwise = feedType === null ? ", or set the feed's feed_type to singleton first" : "";
  return [
    {
      path: base + pointerTo(key),
      message: `${key} looks like the list of rows; send that array alone${otherwise}`,
    },
  ];
}

/** The size limits, in this order: body, row count, first row too large. Only the first applies to a singleton. */
function findTooLarge(
  body: PushBody,
  { feedType, rows }: FoundRows,
  limits: Limits,
): TooLarge | undefined {
  const bodyLimit = bodyLimitOf(feedType, limits);
  if (body.bytes > bodyLimit.most) return bodyLimit;
  if (feedType === "singleton") return undefined;
  if (rows.length > limits.rows) return tooManyRows(limits);
  const most = limits.rowBytes;
  const large = rows.find((row) => isRowTooLarge(row, most));
  if (large === undefined) return undefined;
  return { kind: "too_large", limit: "row_payload", most, rowIndex: large.index };
}

function tooManyRows(limits: Limits): TooLarge {
  return { kind: "too_large", limit: "row_count", most: limits.rows };
}

/** Checks shape and meaning, after sizes and syntax. */
function checkRows(found: FoundRows): ParsedRows {
  const { feedType, wrapper } = found;
  const errors: FieldError[] = [];
  const batch = readBatch(feedType, wrapper, errors);
  const rows =
    feedType === "singleton"
      ? found.rows.map((row) => readDocument(row, errors))
      : readRows(found, errors);
  const push = { feedType, rows, ...batch };
  return { kind: "rows", push, mistakes: errors, soundRows: soundRowsOf(push, errors) };
}

function soundRowsOf(
  { feedType, rows }: Push,
  errors: readonly FieldError[],
): readonly PushedRow[] {
  if (errors.length === 0) return rows;
  if (feedType === "singleton") return [];
  const mistaken = new Set(errors.map((each) => each.row_index));
  return rows.filter(({ index }) => !mistaken.has(index));
}

/** `batch_id` and `batch_complete`. Null and false count as absent. */
function readBatch(
  feedType: FeedType,
  wrapper: JsonText | undefined,
  errors: FieldError[],
): Pick<Push, "batchId" | "isComplete"> {
  if (wrapper === undefined) return { batchId: null, isComplete: false };
  const batchId = readBatchId(wrapper, errors);
  const isComplete = readBatchComplete(wrapper, errors);
  if (feedType !== "collection") {
    if (batchId !== null) errors.push(noBatches("batch_id", feedType));
    if (isComplete) errors.push(noBatches("batch_complete", feedType));
  }
  return { batchId, isComplete };
}

function readBatchId(wrapper: JsonText, errors: FieldError[]): string | null {
  const span = findMember(wrapper.root, "batch_id");
  if (span === undefined || span.kind === "null") return null;
  const batchId = span.kind === "string" ? stringOf(wrapper, span) : "";
  if (batchId !== "" && hasAtMost(batchId, BATCH_ID_LENGTH_MAX)) return batchId;
  const got = span.kind === "string" ? lengthOf(batchId) : span.kind;
  errors.push({
    path: pointerTo("batch_id"),
    message: `batch_id must be a string of 1 to ${BATCH_ID_LENGTH_MAX} characters, got ${got}`,
  });
  return null;
}

function readBatchComplete(wrapper: JsonText, errors: FieldError[]): boolean {
  const span = findMember(wrapper.root, "batch_complete");
  if (span === undefined || span.kind === "null") return false;
  if (span.kind === "boolean") return textOf(wrapper, span) === "true";
  errors.push({
    path: pointerTo("batch_complete"),
    message: `batch_complete must be true or false, got ${named(span)}`,
  });
  return false;
}

function noBatches(field: string, feedType: FeedType): FieldError {
  return {
    path: pointerTo(field),
    message: `a ${feedType} has no batches; leave ${field} out`,
  };
}

function readDocument(found: FoundRow, errors: FieldError[]): PushedRow {
  const { json, span, pointer, index } = found;
  if (span.kind !== "object") {
    errors.push({
      path: pointer,
      message: `a singleton's payload must be one object, got ${named(span)}`,
    });
  }
  const text = textOf(json, span);
  errors.push(...findTooDeep(found, text));
  return { text, id: "", eventTime: null, pointer, index };
}

function readRows({ rows, isList, feedType }: FoundRows, errors: FieldError[]): PushedRow[] {
  const known = new Map<string, number>();
  return rows.map((found) => {
    const { row, mistakes } = checkRow(found, { feedType, isList, noun: "row", known });
    errors.push(...mistakes);
    return row;
  });
}
