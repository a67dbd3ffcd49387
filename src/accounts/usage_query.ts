/**
 * The query of `GET /v1/usage`, read into a named type, and the cursor of its pages.
 *
 * A cursor is bound to the account and to the filters; `limit` may change from page to page.
 * Decisions 7 and 10.
 *
 * @module
 */
import { type StaticDecode, Type } from "@sinclair/typebox";
import { Problem } from "../http/errors.ts";
import { cappedLimit, limitParameter } from "../http/paging.ts";
import { invalidParameter, parameters, queryTime, queryUuid } from "../http/parameters.ts";
import { openToken, sealToken, type TokenOptions } from "../lib/sealed_token.ts";

export const USAGE_QUERY = parameters({
  limit: limitParameter("Events"),
  cursor: Type.Optional(Type.String({ description: "next_cursor of the page before." })),
  feed_id: Type.Optional(queryUuid({ description: "Reads of this feed only, by its UUID." })),
  since: Type.Optional(queryTime({ description: "RFC 3339, inclusive lower bound." })),
  until: Type.Optional(queryTime({ description: "RFC 3339, inclusive upper bound." })),
});

/** What to read of an account's usage log. */
export interface UsageQuery {
  /** 1 to 100. */
  readonly limit: number;
  readonly feedId: string | undefined;
  /** UTC, both inclusive. */
  readonly since: string | undefined;
  readonly until: string | undefined;
  /** The last usage id of the page before. */
  readonly beforeUsageId: string | undefined;
  /** Seals the next page's cursor. */
  readonly scope: TokenOptions;
}

export interface UsageReader {
  readonly accountId: string;
  readonly cursorSecret: string;
}

/** @throws {Problem} 400 `INVALID_PARAMETER`, `CURSOR_INVALID` */
export function readUsageQuery(
  query: StaticDecode<typeof USAGE_QUERY>,
  reader: UsageReader,
): UsageQuery {
  const { feed_id: feedId, since, until } = query;
  if (since !== undefined && until !== undefined && since > until) {
    throw invalidParameter("since is later than until; swap them.");
  }
  const binding = [reader.accountId, feedId, since, until].join(" ");
  const scope = { secret: reader.cursorSecret, purpose: "usage cursor", binding };
  return {
    limit: cappedLimit(query.limit),
    feedId,
    since,
    until,
    beforeUsageId: readUsageCursor(query.cursor, scope),
    scope,
  };
}

/** The cursor of the page behind this usage event. */
export function writeUsageCursor(usageId: string, scope: TokenOptions): string {
  return sealToken(Buffer.from(usageId, "utf8"), scope);
}

function readUsageCursor(token: string | undefined, scope: TokenOptions): string | undefined {
  if (token === undefined) return undefined;
  const usageId = openToken(token, scope);
  if (usageId !== undefined) return usageId.toString("utf8");
  throw new Problem("CURSOR_INVALID", {
    detail:
      "This cursor was not issued for this account and these filters; start again without it.",
  });
}
