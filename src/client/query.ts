/**
 * Builds queries for the gateway's routes from options.
 *
 * @module
 */
import type { CallOptions } from "./types.ts";

/** A value to compare with in a filter. */
export type FilterValue = string | number | bigint | boolean | null;

/** Options of a read. */
export interface ReadOptions extends CallOptions {
  /** Returns only rows whose top-level fields have these values. Up to 10 filters; a row must match all of them. */
  readonly filters?: Readonly<Record<string, FilterValue>> | undefined;
  /** Rows per page, 1 to 100. @default 20; 100 for `pages` and `rows` */
  readonly limit?: number | undefined;
  /** `nextCursor` of the previous page. */
  readonly cursor?: string | undefined;
  /** Rows to skip. A cursor is faster. */
  readonly offset?: number | undefined;
  /** A projection of the data, such as `$[*].{day: event_timestamp, usd: price}`. */
  readonly jsonpath?: string | undefined;
  /** For streams: the earliest `event_timestamp`, inclusive, RFC 3339. */
  readonly startTime?: string | undefined;
  /** For streams: the latest `event_timestamp`, inclusive, RFC 3339. */
  readonly endTime?: string | undefined;
  /** The maximum cost of a page, in credits. A more expensive one throws a `PriceAboveMaxError`. */
  readonly maxCredits?: number | undefined;
  /**
   * The `Idempotency-Key` of this read. If the data has changed since it was first used, the read throws an
   * `IdempotencyKeyStaleError`. A key that no HTTP header can contain throws a `TypeError`.
   *
   * @default a new key for each read, shared by its retries
   */
  readonly idempotencyKey?: string | undefined;
}

/** Path of a feed. */
export function feedPath(feed: string, rest = ""): string {
  return `/feed/${encodeURIComponent(feed)}${rest}`;
}

/** Path of a provider's own feed. */
export function ownFeedPath(feed: string, rest: string): string {
  return `/provider/feed/${encodeURIComponent(feed)}${rest}`;
}

/** A query with its question mark, or "" if nothing is set. */
export function queryOf(parameters: Readonly<Record<string, string | number | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) query.append(name, String(value));
  }
  return query.size === 0 ? "" : `?${query}`;
}

/** The query of a data read. */
export function readQuery(options: ReadOptions): string {
  const { filters = {}, limit, cursor, offset, jsonpath, startTime, endTime } = options;
  const named = Object.entries(filters).map(([field, value]) => [
    // A dot, or the name of a parameter, would have another meaning.
    /^\w+$/.test(field) && !PARAMETERS.has(field) ? field : `payload.${field}`,
    `eq.${value}`,
  ]);
  return queryOf({
    limit,
    cursor,
    offset,
    jsonpath,
    start_time: startTime,
    end_time: endTime,
    ...Object.fromEntries(named),
  });
}

const PARAMETERS: ReadonlySet<string> = new Set([
  "limit",
  "cursor",
  "offset",
  "jsonpath",
  "ids",
  "start_time",
  "end_time",
  "filters",
]);

/** Headers of a read that may be charged. */
export function readHeaders(
  { maxCredits }: Pick<ReadOptions, "maxCredits">,
  idempotencyKey: string | undefined,
): Record<string, string | undefined> {
  return {
    "Idempotency-Key": idempotencyKey,
    "Feedgate-Max-Credits": maxCredits === undefined ? undefined : decimalText(maxCredits),
  };
}

/** A number as digits, without an exponent. */
function decimalText(value: number): string {
  const text = String(value);
  return /e/.test(text) ? value.toFixed(3) : text;
}

/** Ids of records as the queries of several calls: at most 100 ids each, within the length limit of an address. */
export function idQueries(ids: Iterable<string | number>): string[] {
  const queries: string[] = [];
  let texts: string[] = [];
  let chars = 0;
  for (const id of ids) {
    const text = encodeURIComponent(String(id));
    if (texts.length === IDS_MAX || (texts.length > 0 && chars + text.length > IDS_CHARS_MAX)) {
      queries.push(`?ids=${texts.join(",")}`);
      texts = [];
      chars = 0;
    }
    texts.push(text);
    chars += text.length + 1;
  }
  if (texts.length > 0) queries.push(`?ids=${texts.join(",")}`);
  return queries;
}

const IDS_MAX = 100;
const IDS_CHARS_MAX = 6_000;

/** 122 random bits in hexadecimal. `crypto.randomUUID` is missing on pages without TLS. */
export function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
}

/** A random UUID, RFC 9562 version 4. */
export function randomUuid(): string {
  const hex = randomKey();
  const variant = ((Number.parseInt(hex[16] ?? "0", 16) & 0x3) | 0x8).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20),
  ].join("-");
}
