/**
 * The daily budgets of an account's keys, including those of agents, and the amounts spent.
 *
 * @module
 */
import { MS_PER_DAY } from "../lib/time_units.ts";
import { AGENTS_MAX, OWN_KEYS_MAX } from "../limits.ts";
import type { Queries, Row } from "../postgres/client/database.ts";

/** Budget of a valid key for the current UTC day. */
export type KeyBudget = Row<"list_key_budgets">;

/** The most used budget first. */
export function listKeyBudgets(
  database: Queries,
  accountId: string,
): Promise<readonly KeyBudget[]> {
  return database.rows("list_key_budgets", {
    account_id: accountId,
    limit: OWN_KEYS_MAX + AGENTS_MAX,
  });
}

/** When budgets reset, at the end of the UTC day. RFC 3339. */
export function budgetsResetAt(nowMs: number): string {
  return new Date((Math.floor(nowMs / MS_PER_DAY) + 1) * MS_PER_DAY).toISOString();
}
