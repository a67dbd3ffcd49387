/**
 * How old the data of a replica is.
 *
 * @module
 */
import { present } from "../../lib/assert.ts";
import type { Database } from "../client/database.ts";

/** How long to wait for a replica that is behind by a moment only. */
const CATCH_UP = "50 milliseconds";

/** In seconds; 0 if it has all that the primary has. */
export async function readReplicaLag(replica: Database, primary: Database): Promise<number> {
  const position = await primary.row("read_wal_position", {});
  const found = await replica.row("find_replica_lag", {
    wal_position: present(position).wal_position,
    wait_max: CATCH_UP,
  });
  return present(found).lag_seconds;
}
