/**
 * Resources used by gateways and their database: processor time, and bytes of the write-ahead log.
 *
 * @module
 */
import { familyProcessorSeconds, type ServerProcess } from "./processes.ts";
import type { BenchDatabase } from "./support.ts";

export interface Used {
  readonly serverSeconds: number;
  readonly databaseSeconds: number;
  readonly walBytes: number;
}

/** The resources used while `work` runs, and its result. */
export async function whileUsing<Result>(
  servers: readonly ServerProcess[],
  database: BenchDatabase,
  work: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly used: Used }> {
  const before = await usedUntilNow(servers, database);
  const result = await work();
  const after = await usedUntilNow(servers, database);
  return {
    result,
    used: {
      serverSeconds: after.serverSeconds - before.serverSeconds,
      databaseSeconds: after.databaseSeconds - before.databaseSeconds,
      walBytes: after.walBytes - before.walBytes,
    },
  };
}

async function usedUntilNow(
  servers: readonly ServerProcess[],
  { sql, postmasterPid }: BenchDatabase,
): Promise<Used> {
  const [row] = await sql`select (pg_current_wal_insert_lsn() - '0/0')::text as bytes`;
  return {
    serverSeconds: servers.reduce((sum, { pid }) => sum + familyProcessorSeconds(pid), 0),
    databaseSeconds: familyProcessorSeconds(postmasterPid),
    walBytes: Number(row?.bytes),
  };
}
