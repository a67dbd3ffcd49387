/**
 * Cursors: where a page ended, as an opaque token that only this gateway can have made.
 *
 * A cursor is bound to the feed, the filters and the time bounds of its walk; `limit` and `jsonpath`
 * may change from page to page. It holds a position and no state, so it survives a restart and a
 * change of instance. Decisions 6.
 *
 * @module
 */
import { openToken, signToken } from "../lib/signed_token.ts";

/** The last row of a page. */
export type Cursor =
  | { readonly kind: "collection"; readonly batchNumber: bigint; readonly position: bigint }
  | { readonly kind: "stream"; readonly eventAt: string; readonly position: bigint };

export interface CursorScope {
  readonly secret: string;
  /** Feed, filters and time bounds, in a canonical form. */
  readonly binding: string;
}

export function writeCursor(cursor: Cursor, scope: CursorScope): string {
  const payload =
    cursor.kind === "collection"
      ? `c ${cursor.batchNumber} ${cursor.position}`
      : `s ${cursor.eventAt} ${cursor.position}`;
  return signToken(payload, scope);
}

/** Undefined where the token is not one of this gateway for this feed and query. */
export function readCursor(token: string, scope: CursorScope): Cursor | undefined {
  const [kind, first, position] = openToken(token, scope)?.split(" ") ?? [];
  if (first === undefined || position === undefined) return undefined;
  return kind === "c"
    ? { kind: "collection", batchNumber: BigInt(first), position: BigInt(position) }
    : { kind: "stream", eventAt: first, position: BigInt(position) };
}
