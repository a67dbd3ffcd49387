import type { Connections } from "../../src/postgres/client/connect.ts";

/**
 * The number of sessions of this database that wait for a lock, once there are any. Other test files share the server.
 */
export async function lockWaiters(sql: Connections): Promise<number> {
  // Otherwise, a transaction would return its first snapshot of the statistics again.
  await sql`select pg_stat_clear_snapshot()`;
  const [sessions] = await sql`
    select count(*)::int as waiting
    from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  return sessions?.waiting > 0 ? sessions?.waiting : lockWaiters(sql);
}

/**
 * Waits for `work` while cancelling each session of this database that waits for a lock, as the time limit of its
 * statement would, only sooner.
 */
export async function cancelLockWaiters<Result>(
  sql: Connections,
  work: Promise<Result>,
): Promise<Result> {
  let isOver = false;
  const settled = Promise.allSettled([work]).then(() => {
    isOver = true;
  });
  while (!isOver) {
    await sql`
      select pg_cancel_backend(pid)
      from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
  }
  await settled;
  return work;
}
