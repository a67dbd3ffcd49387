/**
 * What to read of an account's usage log, and the cursor of its pages.
 *
 * A cursor is bound to the account and to the filters; `limit` may change from page to page.
 * Decisions 7 and 10.
 *
 * @module
 */
import { openToken, sealToken, type TokenOptions } from "../lib/sealed_token.ts";

/** What is asked for, each part valid by itself. */
export interface AskedUsage {
  readonly accountId: string;
  /** 1 to 100. */
  readonly limit: number;
  readonly feedId: string | undefined;
  readonly keyId: string | undefined;
  /** UTC, both inclusive. */
  readonly since: string | undefined;
  readonly until: string | undefined;
  readonly cursor: string | undefined;
}

export interface UsageQuery extends Omit<AskedUsage, "cursor"> {
  /** The last usage id of the page before. */
  readonly beforeUsageId: string | undefined;
  /** Seals the next page's cursor. */
  readonly scope: TokenOptions;
}

export type UsageQueryOutcome =
  | { readonly kind: "query"; readonly query: UsageQuery }
  /** `since` is later than `until`. */
  | { readonly kind: "times_swapped" }
  /** Not issued for this account and these filters. */
  | { readonly kind: "cursor_invalid" };

export function readUsageQuery(
  { cursor, ...asked }: AskedUsage,
  cursorSecret: string,
): UsageQueryOutcome {
  const { accountId, feedId, keyId, since, until } = asked;
  if (since !== undefined && until !== undefined && since > until) return { kind: "times_swapped" };
  const binding = [accountId, feedId, keyId, since, until].join(" ");
  const scope = { secret: cursorSecret, purpose: "usage cursor", binding };
  const beforeUsageId =
    cursor === undefined ? undefined : openToken(cursor, scope)?.toString("utf8");
  if (cursor !== undefined && beforeUsageId === undefined) return { kind: "cursor_invalid" };
  return { kind: "query", query: { ...asked, beforeUsageId, scope } };
}

/** The cursor of the page behind this usage event. */
export function writeUsageCursor(usageId: string, scope: TokenOptions): string {
  return sealToken(Buffer.from(usageId, "utf8"), scope);
}
