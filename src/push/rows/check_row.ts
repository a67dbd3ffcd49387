/**
 * The rules for one row of a collection or stream: its size, depth, id, and time.
 *
 * Pushes and imports check their rows here. A row keeps the provider's own text. See `src/spec/decisions.md`, section
 * 5.
 *
 * @module
 */
import type { FeedType } from "../../feeds/find.ts";
import { excerpt } from "../../lib/code_points.ts";
import { parseEventTime } from "../../lib/date_time.ts";
import type { FieldError } from "../../lib/field_error.ts";
import {
  findMember,
  type JsonSpan,
  type JsonText,
  type ScannedJson,
  type ScanOptions,
  scanJson,
  stringOf,
  textOf,
} from "../../lib/json_text.ts";
import { ERRORS_LISTED_MAX, JSON_DEPTH_MAX } from "../../limits.ts";
import { canonicalRowId } from "./row_id.ts";

/** A row of a collection or stream, or a singleton's document. */
export interface PushedRow {
  /** Compact JSON: the provider's text without insignificant white space. */
  readonly text: string;
  /** Canonical. Empty for a document. */
  readonly id: string;
  /** RFC 3339, UTC. Null if the row has none, in which case the event is stamped with the time of receipt. */
  readonly eventTime: string | null;
  /** RFC 6901 pointer of the row in the body. */
  readonly pointer: string;
  /** Index in the payload, or line number. */
  readonly index: number;
}

/** A row in the body: its text and position. */
export interface FoundRow {
  readonly json: JsonText;
  readonly span: JsonSpan;
  readonly pointer: string;
  /** Index in the payload, or line number. */
  readonly index: number;
}

interface RowRules {
  readonly feedType: FeedType;
  /** Whether the row is an element of a list, rather than the payload itself. */
  readonly isList: boolean;
  /** What `index` counts, for messages. */
  readonly noun: "row" | "line";
  /**
   * The index at which each id first occurred. Checked rows are added. Omitted if the caller detects repeated ids
   * itself.
   */
  readonly known?: Map<string, number>;
}

/** A UTF-16 unit takes at most this many bytes in UTF-8. */
const BYTES_PER_UNIT_MAX = 3;

/** Reads a text that is one row. @throws {JsonSyntaxError} */
export function scanRow(
  text: string,
  options: Pick<ScanOptions, "firstLine" | "path" | "refusalsMax" | "keys">,
): ScannedJson {
  return scanJson(text, { ...options, spanDepth: 1, heightMax: JSON_DEPTH_MAX });
}

/** Whether the row's text, as it is stored, exceeds the limit. */
export function isRowTooLarge({ json, span }: FoundRow, bytesMax: number): boolean {
  const text = textOf(json, span);
  return text.length * BYTES_PER_UNIT_MAX > bytesMax && Buffer.byteLength(text) > bytesMax;
}

/** Checks the shape and meaning of a row whose size and syntax have been checked. */
export function checkRow(
  found: FoundRow,
  rules: RowRules,
): { readonly row: PushedRow; readonly mistakes: readonly FieldError[] } {
  const { json, span, pointer, index } = found;
  const text = textOf(json, span);
  const mistakes: FieldError[] = [];
  let id = "";
  let eventTime: string | null = null;
  if (span.kind === "object") {
    mistakes.push(...findTooDeep(found, text));
    id = readId(found, rules, mistakes);
    if (rules.feedType === "stream") eventTime = readEventTime(found, mistakes);
  } else {
    const wanted = rules.isList ? "a row must be an object" : "payload must be an object or array";
    mistakes.push({ path: pointer, message: `${wanted}, got ${named(span)}` });
  }
  const row = { text, id, eventTime, pointer, index };
  if (mistakes.length === 0) return { row, mistakes };
  const place = { row_index: index, ...(id !== "" && { row_id: id }) };
  return { row, mistakes: mistakes.map((mistake) => ({ ...mistake, ...place })) };
}

/** The canonical id, or "" if it is invalid. Messages name a row without an id by its index. */
function readId(
  { json, span, pointer, index }: FoundRow,
  { noun, known }: RowRules,
  mistakes: FieldError[],
): string {
  const member = findMember(span, "id");
  if (member === undefined) {
    const message = `${noun} ${index} has no id; give each row an id, a string or a number`;
    mistakes.push({ path: pointer, message });
    return "";
  }
  const outcome = canonicalRowId(json, member);
  if (outcome.kind !== "valid") {
    mistakes.push({ path: `${pointer}/id`, message: outcome.message });
    return "";
  }
  const { id } = outcome;
  const sameIndex = known?.get(id);
  if (sameIndex === undefined) known?.set(id, index);
  else {
    mistakes.push({
      path: `${pointer}/id`,
      message: `ids must be unique within a push, and ${noun} ${sameIndex} has the same one; remove one of them`,
    });
  }
  return id;
}

function readEventTime({ json, span, pointer }: FoundRow, mistakes: FieldError[]): string | null {
  const member = findMember(span, "event_timestamp");
  if (member === undefined) return null;
  const text = member.kind === "string" ? stringOf(json, member) : undefined;
  const time = text === undefined ? undefined : parseEventTime(text);
  if (time !== undefined) return time;
  const got = text === undefined ? named(member) : JSON.stringify(excerpt(text));
  mistakes.push({
    path: `${pointer}/event_timestamp`,
    message: `event_timestamp must be an RFC 3339 date-time such as 2026-01-31T12:00:00Z, got ${got}; leave it out for the time of receipt`,
  });
  return null;
}

/** Reports a row that is nested too deeply. The row or document itself is level 1. */
export function findTooDeep({ span, pointer }: FoundRow, text: string): readonly FieldError[] {
  if (span.height <= JSON_DEPTH_MAX) return [];
  return scanJson(text, {
    spanDepth: 0,
    heightMax: JSON_DEPTH_MAX,
    path: pointer,
    refusalsMax: ERRORS_LISTED_MAX,
  }).refusals;
}

/** The name of a value's kind, with its article. */
export function named(span: JsonSpan): string {
  if (span.kind === "null") return "null";
  return span.kind === "array" || span.kind === "object" ? `an ${span.kind}` : `a ${span.kind}`;
}
