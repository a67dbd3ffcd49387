import type { Connections } from "../../src/postgres/client/connect.ts";

/** How many sessions wait for a lock, once there are some: of this database, since other test files share the server. */
export async function lockWaiters(sql: Connections): Promise<number> {
  // In a transaction, what was seen once would be seen again.
  await sql`select pg_stat_clear_snapshot()`;
  const [sessions] = await sql`
    select count(*)::int as waiting
    from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  return sessions?.waiting > 0 ? sessions?.waiting : lockWaiters(sql);
}
