/** @jsxImportSource preact */
/**
 * What an account has spent in 30 days.
 *
 * @module
 */
import {
  readSpending,
  type Spending,
  type SpendingGrouping,
} from "../../accounts/earnings/spending.ts";
import { dayRange } from "../../accounts/earnings/utc_day.ts";
import { assert } from "../../lib/assert.ts";
import { Chart } from "../layout/parts.tsx";
import type { Visit } from "./visit.ts";

export function spendingOf(
  { operator: { database } }: Visit,
  accountId: string,
  groupBy: SpendingGrouping,
): Promise<Spending> {
  const range = dayRange({}, Date.now());
  assert(typeof range !== "string", "the usual range is one");
  return readSpending(database, { accountId, ...range, groupBy });
}

/** By day. */
export function SpendingChart({ of }: { readonly of: Spending }) {
  return (
    <Chart
      title="Spent by day, USD"
      series={["spent"]}
      points={of.groups.map((group) => ({ at: group.date ?? "", values: [group.spent_usd] }))}
    />
  );
}
