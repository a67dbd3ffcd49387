/**
 * Runs the job that counts sales into totals, now and to its end, as a gateway does every ten seconds.
 *
 * @module
 */
import { createJobs } from "../../src/jobs/jobs.ts";
import type { Connections } from "../../src/postgres/client/connect.ts";
import { createDatabase } from "../../src/postgres/client/query.ts";

const job = createJobs({
  usageRetentionDays: 400,
  auditRetentionDays: 400,
  flushKeyUses: async () => {},
}).find(({ name }) => name === "totals");

/** @param now RFC 3339. @default the database's clock */
export async function countSales(sql: Connections, now?: string): Promise<void> {
  const database = createDatabase(sql);
  // A gateway of the test may be at it, or have done it just now.
  for (let isMore = true; isMore; ) {
    await sql`
      insert into maintenance_jobs (name) values ('totals')
      on conflict (name) do update set due_at = '-infinity'`;
    isMore = (await job?.step(database, now)) ?? false;
  }
}
