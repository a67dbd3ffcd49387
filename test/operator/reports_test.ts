import { afterAll, describe, expect, test } from "bun:test";
import { parseEventTime } from "../../src/lib/date_time.ts";
import { LIMITS_DEFAULT } from "../../src/limits.ts";
import { showAccount } from "../../src/operator/accounts.ts";
import { reportErrors, reportRevenue, reportTop } from "../../src/operator/reports.ts";
import { readStats } from "../../src/operator/stats.ts";
import { requireInOrder } from "../../src/operator/time_range.ts";
import { connect } from "../../src/postgres/client/connect.ts";
import { createDatabase } from "../../src/postgres/client/database.ts";
import { startTestGateway } from "../support/gateway.ts";

const gateway = await startTestGateway();
const pool = connect({ url: gateway.databaseUrl }, { connectionsMax: 1, statementTimeoutMs: 200 });
const operator = { database: createDatabase(pool), limits: LIMITS_DEFAULT };
afterAll(async () => {
  await pool.end();
  await gateway.stop();
});

describe("reports", () => {
  test("a report that the database ends is refused by name, and leaves no statement running", async () => {
    const accountId = await gateway.createAccount();
    await gateway.sql.begin(async (session) => {
      await session`lock table usage_events, pushes, spending_days in access exclusive mode`;
      for (const report of [
        () => reportTop(operator, {}),
        () => readStats(operator, {}),
        () => reportRevenue(operator, {}),
        () => reportErrors(operator, {}),
        () => showAccount(operator, { account_id: accountId }),
      ]) {
        await expect(report()).rejects.toMatchObject({ name: "Refused", code: "REPORT_TOO_LONG" });
      }
      const [running] = await session`
        select count(*)::int as statements from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'
          -- The gateway's own, which counts what was sold.
          and query not like '%run_job%'`;
      expect(running?.statements).toBe(0);
    });
    expect(await reportTop(operator, {})).toEqual({ feeds: [], accounts: [], hasMore: false });
  });

  test("the stats have the first and the last day of the calendar", async () => {
    for (const day of ["0001-01-01", "9999-12-31"]) {
      for (const by of ["day", "minute"] as const) {
        const from = by === "day" ? day : undefined;
        const { groups, from: first, to } = await readStats(operator, { by, from, to: day });
        expect(groups.length).toBeGreaterThan(0);
        for (const bound of [first, to]) expect(parseEventTime(bound)).toBeDefined();
      }
    }
  });

  test("a cursor that no page gave is refused by name", async () => {
    for (const cursor of ["x", "2026-01-01T00:00:00Z,1", "2026-01-01T00:00:00Z,1,x"]) {
      expect(() => reportErrors(operator, { cursor })).toThrow(
        "the cursor must be the value from the previous page",
      );
    }
  });
});

test("a range may be one moment, and is refused if it ends before it begins", () => {
  const [early, late] = ["2026-01-01T00:00:00.000000Z", "2026-01-01T00:00:00.000001Z"];
  requireInOrder({ since: early, until: late });
  requireInOrder({ since: early, until: early });
  expect(() => requireInOrder({ since: late, until: early })).toThrow("later than until");
});
