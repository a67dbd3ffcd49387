/**
 * The age of a replica's data.
 *
 * @module
 */
import { present } from "../../lib/assert.ts";
import type { Database } from "../client/database.ts";

/** How long to wait for a replica that lags only slightly. */
const CATCH_UP = "50 milliseconds";

/** In seconds. 0 if the replica has everything that the primary has. */
export async function readReplicaLag(replica: Database, primary: Database): Promise<number> {
  const position = await primary.row("read_wal_position", {});
  const found = await replica.row("find_replica_lag", {
    wal_position: present(position).wal_position,
    wait_max: CATCH_UP,
  });
  return present(found).lag_seconds;
}
