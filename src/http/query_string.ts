/**
 * The query of an address, split before it is decoded.
 *
 * `+` is a space (WHATWG form encoding), `%XX` must be UTF-8, and the raw value stays at hand: `ids` is
 * split at commas before decoding. Decisions 6 and 10.
 *
 * @module
 */
import { excerpt } from "../lib/code_points.ts";
import { Problem } from "./errors.ts";

export interface QueryEntry {
  readonly name: string;
  readonly value: string;
  /** Before percent-decoding. */
  readonly rawValue: string;
}

/** @throws {Problem} 400 `INVALID_PARAMETER` where an escape is broken or is no UTF-8. */
export function parseQuery(search: string): QueryEntry[] {
  if (search === "") return [];
  const entries: QueryEntry[] = [];
  for (const part of search.split("&")) {
    if (part === "") continue;
    const equals = part.indexOf("=");
    const rawName = equals < 0 ? part : part.slice(0, equals);
    const rawValue = equals < 0 ? "" : part.slice(equals + 1);
    entries.push({ name: decode(rawName), value: decode(rawValue), rawValue });
  }
  return entries;
}

/** One raw part of a query as text. @throws {Problem} as `parseQuery`. */
export function decode(raw: string): string {
  const spaced = raw.includes("+") ? raw.replaceAll("+", " ") : raw;
  if (!spaced.includes("%")) return spaced;
  const decoded = decodeUtf8(spaced);
  // The server puts U+FFFD for bytes that were sent raw and are no UTF-8.
  if (decoded !== undefined && !decoded.includes("\uFFFD")) return decoded;
  throw new Problem("INVALID_PARAMETER", {
    detail: `The query holds "${excerpt(raw)}", which is not percent-encoded UTF-8. Encode it again.`,
  });
}

/** Undefined if an escape is broken or its bytes are no UTF-8. */
function decodeUtf8(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** The path of an address. Where its Host can't be read, Bun gives the path and query alone. */
export function pathOf(url: string): string {
  const start = url.startsWith("/") ? 0 : url.indexOf("/", url.indexOf("//") + 2);
  const end = url.indexOf("?", start);
  return end < 0 ? url.slice(start) : url.slice(start, end);
}

/** The part of an address behind `?`, without it. */
export function searchOf(url: string): string {
  const start = url.indexOf("?");
  return start < 0 ? "" : url.slice(start + 1);
}
