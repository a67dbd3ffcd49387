/**
 * Cursors: the end of a page, as a token that reveals nothing to a client.
 *
 * A cursor is bound to the feed, the filters, and the time bounds of its query. `limit` and `jsonpath` may change from
 * page to page. It contains a position and no state, so it survives a restart and a change of instance. See
 * `src/spec/decisions.md`, section 6.
 *
 * @module
 */
import { openToken, sealToken } from "../../lib/sealed_token.ts";
import { MS_PER_SECOND } from "../../lib/time_units.ts";

/** The last row of a page. */
export type Cursor =
  | { readonly kind: "collection"; readonly batchNumber: bigint; readonly position: bigint }
  | {
      readonly kind: "stream";
      /** RFC 3339 in UTC, years 0001 to 9999, to the microsecond. */
      readonly eventAt: string;
      readonly position: bigint;
    };

export interface CursorScope {
  readonly secret: string;
  /** Feed, filters, and time bounds, in a canonical form. */
  readonly binding: string;
}

const POSITION_START = 8;
const MICROS_PER_SECOND = 1_000_000n;
const MICROS_DIGITS = 6;
const WHOLE_SECONDS_LENGTH = "2026-01-01T00:00:00".length;

/** 60 characters for every position, so that the length reveals nothing either. */
export function writeCursor(cursor: Cursor, { secret, binding }: CursorScope): string {
  const payload = Buffer.alloc(2 * POSITION_START);
  payload.writeBigInt64BE(
    cursor.kind === "collection" ? cursor.batchNumber : microsOf(cursor.eventAt),
  );
  payload.writeBigInt64BE(cursor.position, POSITION_START);
  return sealToken(payload, { secret, binding, purpose: `${cursor.kind} cursor` });
}

/** Undefined if the token was not issued by this gateway for this kind of feed, this feed, and this query. */
export function readCursor(
  token: string,
  kind: Cursor["kind"],
  { secret, binding }: CursorScope,
): Cursor | undefined {
  const payload = openToken(token, { secret, binding, purpose: `${kind} cursor` });
  if (payload === undefined) return undefined;
  const first = payload.readBigInt64BE();
  const position = payload.readBigInt64BE(POSITION_START);
  return kind === "collection"
    ? { kind, batchNumber: first, position }
    : { kind, eventAt: timeOf(first), position };
}

/** Microseconds since 1970, negative before. */
function microsOf(eventAt: string): bigint {
  const seconds = eventAt.slice(0, WHOLE_SECONDS_LENGTH);
  const fraction = eventAt.slice(WHOLE_SECONDS_LENGTH + 1, -1).padEnd(MICROS_DIGITS, "0");
  return (
    (BigInt(Date.parse(`${seconds}Z`)) / BigInt(MS_PER_SECOND)) * MICROS_PER_SECOND +
    BigInt(fraction)
  );
}

function timeOf(micros: bigint): string {
  const fraction = ((micros % MICROS_PER_SECOND) + MICROS_PER_SECOND) % MICROS_PER_SECOND;
  const seconds = Number((micros - fraction) / MICROS_PER_SECOND);
  const whole = new Date(seconds * MS_PER_SECOND).toISOString().slice(0, WHOLE_SECONDS_LENGTH);
  return `${whole}.${String(fraction).padStart(MICROS_DIGITS, "0")}Z`;
}
