/**
 * Responses of the account routes.
 *
 * @module
 */

import type { Agent } from "../accounts/agents.ts";
import { usageEventText } from "../accounts/usage_event.ts";
import type { UsagePage } from "../accounts/usage_page.ts";
import { MS_PER_SECOND, US_PER_DAY, US_PER_MS } from "../lib/time_units.ts";
import {
  EXPORTS_LIMIT,
  EXPORTS_WINDOW_MS,
  HOUSEKEEPING_LIMIT,
  type Limits,
  REVALIDATION_LIMIT,
  WINDOW_MS,
} from "../limits.ts";
import { amountOf } from "../money/money.ts";
import type { Row } from "../postgres/client/database.ts";

/** The account, with exact amounts and its connected agents. */
export function accountOf(row: Row<"find_account">, agents: readonly Agent[], limits: Limits) {
  return {
    id: row.account_id,
    name: row.name,
    balance: amountOf(row.balance_nanos),
    // Omitted if the key has no budget.
    budget: budgetOf(row),
    agents: agents.map(({ key_id, name, spent_nanos, expires_at }) => ({
      key_id,
      name,
      spent: amountOf(spent_nanos),
      expires_at,
    })),
    limits: limitsOf(limits),
  };
}

function budgetOf({ daily_nanos: daily, spent_nanos: spent, day }: Row<"find_account">) {
  if (daily === null) return undefined;
  return {
    daily: amountOf(daily),
    spent: amountOf(spent),
    // The budget may have been lowered below what was already spent.
    left: amountOf(spent < daily ? daily - spent : 0n),
    resets_at: new Date(((day + 1) * US_PER_DAY) / US_PER_MS).toISOString(),
  };
}

export function usageText({ rows, nextCursor }: UsagePage, limit: number): string {
  return `{"usage":[${rows.map(usageEventText).join(",")}],"limit":${limit},"has_more":${nextCursor !== null},"next_cursor":${JSON.stringify(nextCursor)}}`;
}

/** Every limit that applies to a consumer. See `src/spec/interface.md`, section 8.1. */
function limitsOf(limits: Limits) {
  const windowSeconds = WINDOW_MS / MS_PER_SECOND;
  const of = (operation: string, tier: string, limit: number) => ({
    operation,
    tier,
    limit,
    window_seconds: windowSeconds,
  });
  return [
    of("data", "free", limits.readsFree),
    of("data", "paid", limits.readsPaid),
    { ...of("export", "all", EXPORTS_LIMIT), window_seconds: EXPORTS_WINDOW_MS / MS_PER_SECOND },
    of("catalog", "all", limits.discovery),
    of("search", "all", limits.discovery),
    of("metadata", "all", limits.discovery),
    of("account", "all", HOUSEKEEPING_LIMIT),
    of("usage", "all", HOUSEKEEPING_LIMIT),
    of("purchase", "all", HOUSEKEEPING_LIMIT),
    of("purchases", "all", HOUSEKEEPING_LIMIT),
    of("topups", "all", HOUSEKEEPING_LIMIT),
    of("webhooks", "all", HOUSEKEEPING_LIMIT),
    of("mcp", "all", REVALIDATION_LIMIT),
    of("revalidate", "all", REVALIDATION_LIMIT),
  ];
}
