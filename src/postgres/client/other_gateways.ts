/**
 * Checks whether other gateways or commands are connected to a database. Every role can see that.
 *
 * @module
 */
import type { Connections } from "./connect.ts";

/** Asks on one connection, which is not counted. */
export async function hasOtherGateways(connections: Connections): Promise<boolean> {
  const others = await connections`
    select from pg_stat_activity
    where application_name = 'feedgate'
      and datname = current_database()
      and pid <> pg_backend_pid()`;
  return others.length > 0;
}
