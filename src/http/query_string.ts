/**
 * Parses the query string of a URL.
 *
 * `+` is a space (WHATWG form encoding), and `%XX` must be UTF-8. The raw value is kept, because `ids` is split at
 * commas before it is decoded.
 *
 * @module
 */
import { excerpt } from "../lib/code_points.ts";
import { Problem } from "./problem_details.ts";

interface QueryEntry {
  readonly name: string;
  readonly value: string;
  /** Before percent-decoding. */
  readonly rawValue: string;
}

/** @throws {Problem} 400 `INVALID_PARAMETER` if an escape is invalid or not UTF-8. */
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

/** Decodes a name or a value. @throws {Problem} as `parseQuery` */
export function decode(raw: string): string {
  const spaced = raw.replaceAll("+", " ");
  if (!spaced.includes("%")) return spaced;
  try {
    const decoded = decodeURIComponent(spaced);
    // The server replaces raw bytes that are not UTF-8 by U+FFFD.
    if (!decoded.includes("\uFFFD")) return decoded;
  } catch {
    // An escape is invalid, or its bytes are not UTF-8.
  }
  throw new Problem("INVALID_PARAMETER", {
    detail: `The query contains "${excerpt(raw)}", which is not percent-encoded UTF-8. Encode it again.`,
  });
}

/** The URL of a request. If its Host can't be parsed, a placeholder is used. */
export function urlOf({ url }: Request): URL {
  return URL.parse(url) ?? new URL(`http://host.invalid${pathOf(url)}?${searchOf(url)}`);
}

/** The path of a URL. If the Host can't be parsed, Bun provides only path and query. */
export function pathOf(url: string): string {
  const start = url.startsWith("/") ? 0 : url.indexOf("/", url.indexOf("//") + 2);
  const end = url.indexOf("?", start);
  return end < 0 ? url.slice(start) : url.slice(start, end);
}

/** The part of a URL after `?`. */
export function searchOf(url: string): string {
  const start = url.indexOf("?");
  return start < 0 ? "" : url.slice(start + 1);
}

/** The first name that occurs more than once in a query or a form. */
export function repeatedName(pairs: URLSearchParams): string | undefined {
  const seen = new Set<string>();
  // `getAll` for each name would read all pairs once per name.
  for (const name of pairs.keys()) {
    if (seen.has(name)) return name;
    seen.add(name);
  }
  return undefined;
}

/** `?a=1&b=2`, without what is undefined; "" where nothing is left. */
export function queryText(
  parameters: readonly (readonly [name: string, value: string | number | undefined])[],
): string {
  const query = new URLSearchParams();
  for (const [name, value] of parameters) {
    if (value !== undefined) query.append(name, String(value));
  }
  return query.size === 0 ? "" : `?${query}`;
}
