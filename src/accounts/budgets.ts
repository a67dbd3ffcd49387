/**
 * The daily budgets of an account's keys, agents' included, and what is spent of them.
 *
 * @module
 */
import { MS_PER_DAY } from "../lib/time_units.ts";
import { AGENTS_MAX, OWN_KEYS_MAX } from "../limits.ts";
import type { Queries, Row } from "../postgres/client/database.ts";

/** Of a valid key, for the current UTC day. */
export type KeyBudget = Row<"list_key_budgets">;

/** The fullest first. */
export function listKeyBudgets(
  database: Queries,
  accountId: string,
): Promise<readonly KeyBudget[]> {
  return database.rows("list_key_budgets", {
    account_id: accountId,
    limit: OWN_KEYS_MAX + AGENTS_MAX,
  });
}

/** When budgets start anew, RFC 3339: at the end of the UTC day. */
export function budgetsResetAt(nowMs: number): string {
  return new Date((Math.floor(nowMs / MS_PER_DAY) + 1) * MS_PER_DAY).toISOString();
}
