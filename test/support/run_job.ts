/**
 * Runs a background job on request of a test.
 *
 * @module
 */
import { createJobs } from "../../src/jobs/jobs.ts";
import { present } from "../../src/lib/assert.ts";
import type { Connections } from "../../src/postgres/client/connect.ts";
import { createDatabase } from "../../src/postgres/client/database.ts";

const jobs = createJobs({
  usageRetentionDays: 400,
  auditRetentionDays: 400,
  flushKeyUses: async () => {},
});

/** Runs a complete pass of the job, even if it ran recently. @param now RFC 3339. @default the database's clock */
export async function runJob(sql: Connections, name: string, now?: string): Promise<void> {
  const job = present(jobs.find((each) => each.name === name));
  const database = createDatabase(sql);
  await sql`delete from maintenance_jobs where name = ${name}`;
  while (await job.step(database, now));
}

/** Counts sales into totals, as a gateway does every ten seconds. @param now RFC 3339. @default the database's clock */
export function countSales(sql: Connections, now?: string): Promise<void> {
  return runJob(sql, "totals", now);
}
