/**
 * Refuses a database that is marked as old (`client/survey.ts`), and remembers its timeline in it.
 *
 * A gateway that reaches only the old primary after a failover knows no more than that database. So a process that sees
 * both primaries writes the newer timeline into the older one.
 *
 * @module
 */
import type { Connections } from "./client/connect.ts";
import { isUnsupported, OLD_PRIMARY } from "./client/failures.ts";
import { retryMisdirected } from "./client/retry_statement.ts";
import { LINEAGE_QUERY, type Lineage, readLineage } from "./client/timelines.ts";
import { STATEMENTS } from "./generated/statements.ts";

/** Called before anything else is written. @throws an error with the code `OLD_PRIMARY` */
export async function requireNewestPrimary(connections: Connections): Promise<void> {
  const lineage = await askLineage(connections);
  // A standby has no timeline of its own. A database without our tables, or whose tables this role can't read, has no
  // recorded timeline.
  if (lineage === undefined) return;
  const [found] = await connections`
    select has_table_privilege(to_regclass('settings'), 'update') as is_there`;
  if (found?.is_there !== true) return;
  const { system, timeline } = lineage;
  const [kept] = await connections.unsafe(STATEMENTS.keep_timeline, [system, timeline]);
  const newest = Number(kept?.timeline);
  if (newest <= timeline) return;
  const message = `this database is from before a failover (timeline ${timeline}, and ${newest} has begun elsewhere): set DATABASE_URL to the new primary, and make this server its standby`;
  throw Object.assign(new Error(message), { code: OLD_PRIMARY });
}

/** Undefined if the server does not report it: some services have no functions for the WAL. */
async function askLineage(connections: Connections): Promise<Lineage | undefined> {
  try {
    const [row] = await retryMisdirected(async () => connections.unsafe(LINEAGE_QUERY));
    return readLineage(row?.lineage);
  } catch (error) {
    if (isUnsupported(error)) return undefined;
    throw error;
  }
}
