/** @jsxImportSource preact */
/**
 * The spending of a consumer by day, feed and key, with a forecast for the month, and every call.
 *
 * @module
 */
import { readPace } from "../../../accounts/earnings/forecast.ts";
import { readSpending } from "../../../accounts/earnings/spending.ts";
import { present } from "../../../lib/assert.ts";
import { type UsageSource, usageParts, usageTables } from "../account_usage.tsx";
import { fileOf } from "../listed_table.tsx";
import { rangeOf } from "../shown_range.tsx";
import type { PageRoute, Visit } from "../visit.ts";
import { readCalls } from "./own_records.ts";

export const OWN_USAGE: PageRoute = {
  path: "usage",
  download: (visit) => fileOf(visit, usageTables(visit, usageOf(visit))),
  async show(visit) {
    return {
      title: "Usage",
      hasCharts: true,
      content: (
        <>
          <h1>Usage</h1>
          {await usageParts(visit, usageOf(visit))}
        </>
      ),
    };
  },
};

function usageOf(visit: Visit): UsageSource {
  const { database } = visit.operator;
  const { id: accountId } = present(visit.session.account);
  const range = rangeOf(visit, "month");
  const { name, from, to, since, until } = range;
  return {
    range,
    offersMonth: true,
    spending: (groupBy) => readSpending(database, { accountId, from, to, groupBy }),
    async calls(asked) {
      const { rows, nextCursor } = await readCalls(visit, asked, { since, until });
      return { entries: rows, nextCursor };
    },
    ...(name === "month" && {
      pace: () => readPace(database, { accountId, nowMs: Date.now() }),
    }),
  };
}
