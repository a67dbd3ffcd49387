/**
 * The answers of the account routes as JSON text, and their schemas for the docs. Decisions 10.
 *
 * @module
 */
import { Type } from "@sinclair/typebox";
import { creditsText, usdText } from "../credit/money.ts";
import { type USAGE_COLUMNS, type UsageRow, usageEventText } from "../credit/usage_event.ts";
import type { Row } from "../database/query.ts";
import {
  HOUSEKEEPING_LIMIT,
  type Limits,
  PAGE_LIMIT_MAX,
  REVALIDATION_LIMIT,
  WINDOW_MS,
} from "../limits.ts";
import { type UsageQuery, writeUsageCursor } from "./usage_query.ts";

export const ACCOUNT_ANSWER = Type.Object({
  id: Type.String({ format: "uuid" }),
  name: Type.String(),
  balance: Type.Object({
    credits: Type.Number({ description: "1 credit = 0.000001 USD; at most 3 decimals." }),
    usd: Type.Number({ description: "At most 9 decimals." }),
  }),
  limits: Type.Array(
    Type.Object({
      operation: Type.String({ description: "revalidate: answers 304 and HEAD." }),
      tier: Type.String({
        description: "free and paid where the feed's pricing decides, else all.",
      }),
      limit: Type.Integer({ description: "Calls in a window; for data, of each feed." }),
      window_seconds: Type.Integer(),
    }),
  ),
});

export const USAGE_ANSWER = Type.Object({
  usage: Type.Array(
    Type.Object({
      usage_id: Type.String({ format: "uuid", description: "As in `_origin`." }),
      timestamp: Type.String({ format: "date-time" }),
      operation: Type.String({ description: "catalog, search, metadata or data." }),
      feed_id: Type.Union([Type.String({ format: "uuid" }), Type.Null()]),
      credits_charged: Type.Number({ description: "0 where the charge was given back." }),
    } satisfies Record<(typeof USAGE_COLUMNS)[number], unknown>),
  ),
  limit: Type.Integer({ maximum: PAGE_LIMIT_MAX }),
  has_more: Type.Boolean(),
  next_cursor: Type.Union([Type.String(), Type.Null()], {
    description: "Leads to older events; null on the last page.",
  }),
});

/** The account with its balance as exact numbers. */
export function accountText(row: Row<"find_account">, limits: Limits): string {
  const { balance_nanos: nanos } = row;
  const balance = `{"credits":${creditsText(nanos)},"usd":${usdText(nanos)}}`;
  return `{"id":"${row.account_id}","name":${JSON.stringify(row.name)},"balance":${balance},"limits":${JSON.stringify(limitsOf(limits))}}`;
}

/** A page of the usage log; `rows` holds one more than the page where there is a next page. */
export function usageText(rows: readonly UsageRow[], query: UsageQuery): string {
  const page = rows.slice(0, query.limit);
  const hasMore = rows.length > page.length;
  const last = page.at(-1);
  const nextCursor =
    hasMore && last !== undefined ? writeUsageCursor(last.usage_id, query.scope) : null;
  return `{"usage":[${page.map(usageEventText).join(",")}],"limit":${query.limit},"has_more":${hasMore},"next_cursor":${JSON.stringify(nextCursor)}}`;
}

/** Every limit that a consumer can meet. Interface 8.1, decisions 7 and 10. */
function limitsOf(limits: Limits) {
  const windowSeconds = WINDOW_MS / 1_000;
  const of = (operation: string, tier: string, limit: number) => ({
    operation,
    tier,
    limit,
    window_seconds: windowSeconds,
  });
  return [
    of("data", "free", limits.readsFree),
    of("data", "paid", limits.readsPaid),
    of("catalog", "all", limits.discovery),
    of("search", "all", limits.discovery),
    of("metadata", "all", limits.discovery),
    of("account", "all", HOUSEKEEPING_LIMIT),
    of("usage", "all", HOUSEKEEPING_LIMIT),
    of("revalidate", "all", REVALIDATION_LIMIT),
  ];
}
