/**
 * What a push's body means: from its text, the feed's type and the limits to a `Push`, or to why it is
 * none. Interface 4.6 and 8.3, decisions 5 and 10.
 *
 * Refusals come in the order that decisions 2 fix: too large (body, row count, first row too large),
 * then no JSON, then shape and meaning. What is no JSON has no rows to count, so there the order is
 * that of what can be known. Rows keep the provider's own text.
 *
 * @module
 */
import type { FeedType } from "../feed_row/feeds.ts";
import type { FieldError } from "../http/errors.ts";
import { codePointsOf, excerpt, hasAtMost } from "../lib/code_points.ts";
import { parseEventTime } from "../lib/event_time.ts";
import {
  byteLength,
  findMember,
  JsonRefusedError,
  type JsonSpan,
  JsonSyntaxError,
  type JsonText,
  pointerTo,
  scanJson,
  stringOf,
  textOf,
} from "../lib/json_text.ts";
import { BATCH_ID_LENGTH_MAX, ERRORS_LISTED_MAX, JSON_DEPTH_MAX, type Limits } from "../limits.ts";
import { mistakesAt } from "./json_mistakes.ts";
import { canonicalRowId } from "./row_id.ts";

/** A body as it came in. */
export interface PushBody {
  readonly text: string;
  /** As counted against the limits: after gzip decoding. */
  readonly bytes: number;
  /** One JSON text, or one row a line. */
  readonly form: "json" | "ndjson";
}

export interface PushRules {
  /** Null until the first push decides. */
  readonly feedType: FeedType | null;
  readonly limits: Limits;
}

/** A row of a collection or stream, or a singleton's document. */
export interface PushedRow {
  /** Compact JSON: the provider's text without insignificant white space. */
  readonly text: string;
  /** Canonical; empty for a document. */
  readonly id: string;
  /** RFC 3339, UTC; null where there is none: the event is then stamped with the time of receipt. */
  readonly eventTime: string | null;
  /** Where the row stands in the body. RFC 6901. */
  readonly pointer: string;
}

export interface Push {
  readonly feedType: FeedType;
  readonly rows: readonly PushedRow[];
  readonly batchId: string | null;
  readonly isComplete: boolean;
}

/** 413, with the hints that the interface names. */
export interface TooLarge {
  readonly kind: "too_large";
  readonly limit: "singleton_body" | "request_body" | "row_count" | "row_payload";
  /** Bytes, or rows for `row_count`. */
  readonly most: number;
  readonly rowIndex?: number;
}

export type PushOutcome =
  | { readonly kind: "push"; readonly push: Push }
  | TooLarge
  | { readonly kind: "not_json"; readonly message: string }
  | {
      readonly kind: "invalid";
      /** The first mistakes. */
      readonly errors: readonly FieldError[];
      /** All of them. */
      readonly errorCount: number;
    };

/** A wrapper and an array stand around a row at most. */
const BODY_HEIGHT_MAX = JSON_DEPTH_MAX + 2;
const WRAPPER_KEYS = new Set(["payload", "batch_id", "batch_complete"]);
const UTF8_BYTES_PER_UNIT_MAX = 3;

/** Decides what a body means; `body.bytes` is within the limit that it was read with. */
export function parsePush(body: PushBody, rules: PushRules): PushOutcome {
  try {
    return body.form === "ndjson" ? parseLines(body, rules) : parseText(body, rules);
  } catch (error) {
    if (error instanceof JsonSyntaxError) return { kind: "not_json", message: error.message };
    throw error;
  }
}

/** The limit that holds for a body of this type, before it is read. Null: up to the singleton's. */
export function bodyLimitOf(feedType: FeedType | null, limits: Limits): TooLarge {
  return feedType === null || feedType === "singleton"
    ? { kind: "too_large", limit: "singleton_body", most: limits.singletonBodyBytes }
    : { kind: "too_large", limit: "request_body", most: limits.requestBodyBytes };
}

/** A row as it was found in the body: its text, and where it stands. */
interface FoundRow {
  readonly json: JsonText;
  readonly span: JsonSpan;
  readonly pointer: string;
  /** Index in the payload, or of the line. */
  readonly index: number;
}

/** What stands around the rows. */
interface Envelope {
  readonly json: JsonText;
  readonly batchId: JsonSpan | undefined;
  readonly isComplete: JsonSpan | undefined;
}

function parseText(body: PushBody, rules: PushRules): PushOutcome {
  let json: JsonText;
  try {
    json = scanJson(body.text, {
      spanDepth: spanDepthOf(body.text, rules.feedType),
      heightMax: BODY_HEIGHT_MAX,
      // The body may be two levels deeper than the row, whose levels are what a provider counts.
      heightTold: JSON_DEPTH_MAX,
      refusalsMax: ERRORS_LISTED_MAX,
    });
  } catch (error) {
    if (!(error instanceof JsonRefusedError)) throw error;
    return tooLargeThoughRefused(body, rules) ?? { kind: "invalid", ...mistakesAt("", error) };
  }
  const { root } = json;
  const isWrapped = isWrapper(root);
  const payload = isWrapped ? (findMember(root, "payload") as JsonSpan) : root;
  const base = isWrapped ? pointerTo("payload") : "";
  const feedType = rules.feedType ?? (payload.kind === "array" ? "collection" : "singleton");
  const isList = payload.kind === "array" && feedType !== "singleton";
  const rows: FoundRow[] = isList
    ? (payload.items ?? []).map((span, index) => {
        return { json, span, pointer: `${base}/${index}`, index };
      })
    : [{ json, span: payload, pointer: base, index: 0 }];
  const tooLarge = tooLargeOf(body, { ...rules, feedType }, sizesOf(rows));
  if (tooLarge !== undefined) return tooLarge;
  const envelope = isWrapped
    ? {
        json,
        batchId: findMember(root, "batch_id"),
        isComplete: findMember(root, "batch_complete"),
      }
    : undefined;
  return decide(rows, { feedType, envelope, isList });
}

/** Newline-delimited JSON: every line is a row; empty lines are none. */
function parseLines(body: PushBody, rules: PushRules): PushOutcome {
  const feedType = rules.feedType ?? "collection";
  const lines = body.text.split("\n");
  const filled = lines.flatMap((line, index) => (line.trim() === "" ? [] : [index]));
  if (filled.length === 0) return { kind: "not_json", message: "the body has no line with a row" };
  if (filled.length > rules.limits.rows) return tooManyRows(rules.limits);
  const rows: FoundRow[] = [];
  const refused: FieldError[] = [];
  let refusedCount = 0;
  const sizes: RowSize[] = [];
  for (const index of filled) {
    const line = lines[index] as string;
    const pointer = pointerTo(index);
    try {
      const json = scanJson(line, {
        spanDepth: 1,
        heightMax: JSON_DEPTH_MAX,
        firstLine: index + 1,
        refusalsMax: Math.max(1, ERRORS_LISTED_MAX - refused.length),
      });
      const row = { json, span: json.root, pointer, index };
      rows.push(row);
      sizes.push(...sizesOf([row]));
    } catch (error) {
      if (error instanceof JsonSyntaxError) {
        return { kind: "not_json", message: error.message };
      }
      if (!(error instanceof JsonRefusedError)) throw error;
      if (refused.length < ERRORS_LISTED_MAX) refused.push(...mistakesAt(pointer, error).errors);
      refusedCount += error.count;
      sizes.push({ index, bytesWithin: roughBytesWithin(line) });
    }
  }
  const tooLarge = tooLargeOf(body, { ...rules, feedType }, sizes);
  if (tooLarge !== undefined) return tooLarge;
  if (refusedCount > 0) return { kind: "invalid", errors: refused, errorCount: refusedCount };
  return decide(rows, { feedType, envelope: undefined, isList: true });
}

/** How deep the reader must look: to the fields of a row, whatever stands around it. */
function spanDepthOf(text: string, feedType: FeedType | null): number {
  if (feedType === "singleton") return 1;
  const isBareArray = /^[ \t\r\n]*\[/.test(text);
  return isBareArray ? 2 : 3;
}

/** Decisions 5: an object with `payload` and no keys but the wrapper's. Every other is the payload. */
function isWrapper(root: JsonSpan): boolean {
  const { members } = root;
  return (
    members?.some(({ key }) => key === "payload") === true &&
    members.every(({ key }) => WRAPPER_KEYS.has(key))
  );
}

interface RowSize {
  readonly index: number;
  /** Whether the row's text has at most so many bytes. */
  readonly bytesWithin: (most: number) => boolean;
}

function sizesOf(rows: readonly FoundRow[]): RowSize[] {
  return rows.map(({ json, span, index }) => ({
    index,
    bytesWithin: (most) => {
      const units = span.end - span.start;
      // Most rows are far from the limit, and need not be counted byte for byte.
      if (units * UTF8_BYTES_PER_UNIT_MAX <= most) return true;
      return units <= most && byteLength(textOf(json, span)) <= most;
    },
  }));
}

/** The guardrails of interface 8.3, in their order. A singleton has but the first. */
function tooLargeOf(
  body: PushBody,
  rules: { readonly feedType: FeedType; readonly limits: Limits },
  rows: readonly RowSize[],
): TooLarge | undefined {
  const { feedType, limits } = rules;
  const bodyLimit = bodyLimitOf(feedType, limits);
  if (body.bytes > bodyLimit.most) return bodyLimit;
  if (feedType === "singleton") return undefined;
  if (rows.length > limits.rows) return tooManyRows(limits);
  const large = rows.find(({ bytesWithin }) => !bytesWithin(limits.rowBytes));
  if (large === undefined) return undefined;
  return { kind: "too_large", limit: "row_payload", most: limits.rowBytes, rowIndex: large.index };
}

function tooManyRows(limits: Limits): TooLarge {
  return { kind: "too_large", limit: "row_count", most: limits.rows };
}

/**
 * Whether a JSON text that may not be stored is too large besides, which goes first. The reader gave no
 * spans for it, so its rows are counted by the native parser and measured as that would print them.
 */
function tooLargeThoughRefused(body: PushBody, rules: PushRules): TooLarge | undefined {
  const value = parsedNatively(body.text);
  const isWrapped =
    isPlainObject(value) &&
    Object.hasOwn(value, "payload") &&
    Object.keys(value).every((key) => WRAPPER_KEYS.has(key));
  const payload = isWrapped ? value.payload : value;
  const feedType = rules.feedType ?? (Array.isArray(payload) ? "collection" : "singleton");
  const items: readonly unknown[] = Array.isArray(payload) ? payload : [payload];
  const sizes = items.map((item, index) => ({
    index,
    bytesWithin: (most: number) => byteLength(printedNatively(item)) <= most,
  }));
  return tooLargeOf(body, { ...rules, feedType }, sizes);
}

function roughBytesWithin(line: string) {
  return (most: number) => byteLength(printedNatively(parsedNatively(line))) <= most;
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Null where the text is nested too deep for the native parser. */
function parsedNatively(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function printedNatively(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    return "";
  }
}

interface Shape {
  readonly feedType: FeedType;
  readonly envelope: Envelope | undefined;
  /** Whether the payload is a list of rows, rather than the one row or document itself. */
  readonly isList: boolean;
}

/** Shape and meaning, once sizes and syntax are known to be right. */
function decide(found: readonly FoundRow[], shape: Shape): PushOutcome {
  const { feedType, envelope } = shape;
  const errors: FieldError[] = [];
  const batch = batchOf(feedType, envelope, errors);
  const rows =
    feedType === "singleton"
      ? found.map((row) => documentOf(row, errors))
      : rowsOf(found, shape, errors);
  if (errors.length > 0) return { kind: "invalid", errors, errorCount: errors.length };
  return { kind: "push", push: { feedType, rows, ...batch } };
}

/** `batch_id` and `batch_complete`; null and false count as absent. Decisions 5 and 10. */
function batchOf(
  feedType: FeedType,
  envelope: Envelope | undefined,
  errors: FieldError[],
): { batchId: string | null; isComplete: boolean } {
  const given = (span: JsonSpan | undefined) => (span?.kind === "null" ? undefined : span);
  const idSpan = given(envelope?.batchId);
  const completeSpan = given(envelope?.isComplete);
  let batchId: string | null = null;
  let isComplete = false;
  if (envelope !== undefined && idSpan !== undefined) {
    batchId = idSpan.kind === "string" ? stringOf(envelope.json, idSpan) : "";
    if (!isBatchId(batchId)) {
      const got = idSpan.kind === "string" ? `one of ${codePointsOf(batchId)}` : idSpan.kind;
      errors.push({
        path: pointerTo("batch_id"),
        message: `batch_id must be a string of 1 to ${BATCH_ID_LENGTH_MAX} characters, got ${got}`,
      });
    } else if (feedType !== "collection") {
      errors.push(noBatches("batch_id", feedType));
    }
  }
  if (envelope !== undefined && completeSpan !== undefined) {
    isComplete = textOf(envelope.json, completeSpan) === "true";
    if (completeSpan.kind !== "boolean") {
      errors.push({
        path: pointerTo("batch_complete"),
        message: `batch_complete must be true or false, got ${named(completeSpan)}`,
      });
    } else if (isComplete && feedType !== "collection") {
      errors.push(noBatches("batch_complete", feedType));
    }
  }
  return { batchId, isComplete };
}

function isBatchId(text: string): boolean {
  return text !== "" && hasAtMost(text, BATCH_ID_LENGTH_MAX);
}

function noBatches(field: string, feedType: FeedType): FieldError {
  return {
    path: pointerTo(field),
    message: `a ${feedType} has no batches; leave ${field} out`,
  };
}

function documentOf(found: FoundRow, errors: FieldError[]): PushedRow {
  const { json, span, pointer } = found;
  if (span.kind !== "object") {
    errors.push({
      path: pointer,
      message: `a singleton's payload must be one object, got ${named(span)}`,
    });
  }
  const text = textOf(json, span);
  errors.push(...tooDeep(found, text));
  return { text, id: "", eventTime: null, pointer };
}

function rowsOf(found: readonly FoundRow[], shape: Shape, errors: FieldError[]): PushedRow[] {
  const indexById = new Map<string, number>();
  return found.map((row) => {
    const { json, span, pointer, index } = row;
    const text = textOf(json, span);
    if (span.kind !== "object") {
      const wanted = shape.isList
        ? "a row must be an object"
        : "payload must be an object or array";
      errors.push({ path: pointer, message: `${wanted}, got ${named(span)}` });
      return { text, id: "", eventTime: null, pointer };
    }
    errors.push(...tooDeep(row, text));
    const id = idOf(row, errors);
    const sameIndex = id === undefined ? undefined : indexById.get(id);
    if (sameIndex !== undefined) {
      errors.push({
        path: `${pointer}/id`,
        message: `an id must come once in a push, and row ${sameIndex} has this one; leave one of them out`,
      });
    }
    if (id !== undefined) indexById.set(id, sameIndex ?? index);
    const eventTime = shape.feedType === "stream" ? eventTimeOf(row, errors) : null;
    return { text, id: id ?? "", eventTime, pointer };
  });
}

function idOf({ json, span, pointer }: FoundRow, errors: FieldError[]): string | undefined {
  const member = findMember(span, "id");
  if (member === undefined) {
    errors.push({ path: pointer, message: "a row must have an id: a string or a number" });
    return undefined;
  }
  const outcome = canonicalRowId(json, member);
  if (outcome.kind === "valid") return outcome.id;
  errors.push({ path: `${pointer}/id`, message: outcome.message });
  return undefined;
}

function eventTimeOf({ json, span, pointer }: FoundRow, errors: FieldError[]): string | null {
  const member = findMember(span, "event_timestamp");
  if (member === undefined) return null;
  const text = member.kind === "string" ? stringOf(json, member) : undefined;
  const time = text === undefined ? undefined : parseEventTime(text);
  if (time !== undefined) return time;
  const got = text === undefined ? named(member) : JSON.stringify(excerpt(text));
  errors.push({
    path: `${pointer}/event_timestamp`,
    message: `event_timestamp must be an RFC 3339 date-time such as 2026-01-31T12:00:00Z, got ${got}; leave it out for the time of receipt`,
  });
  return null;
}

/** Levels are counted from the row or document itself. Decisions 10. */
function tooDeep({ span, pointer }: FoundRow, text: string): FieldError[] {
  if (span.height <= JSON_DEPTH_MAX) return [];
  try {
    scanJson(text, {
      spanDepth: 0,
      heightMax: JSON_DEPTH_MAX,
      refusalsMax: ERRORS_LISTED_MAX,
    });
    return [];
  } catch (error) {
    if (error instanceof JsonRefusedError) return mistakesAt(pointer, error).errors;
    throw error;
  }
}

function named(span: JsonSpan): string {
  if (span.kind === "null") return "null";
  return span.kind === "array" || span.kind === "object" ? `an ${span.kind}` : `a ${span.kind}`;
}
