/**
 * Spreads the rows of feeds over the nodes of a Citus cluster, once and for all.
 *
 * The SQL function `distribute_rows` changes the tables; `distributed_reader.ts` reads distributed rows.
 *
 * @module
 */
import type { Connections } from "../client/connect.ts";
import { hasOtherGateways } from "../client/other_gateways.ts";
import { inFunctionSet, planForShards } from "./function_set.ts";
import { inTransaction } from "./migrate.ts";

/** Why rows can't be distributed here and now, as a sentence; undefined if they can. */
export async function findObstacle(connections: Connections): Promise<string | undefined> {
  const extensions = await connections`select from pg_extension where extname = 'citus'`;
  if (extensions.length === 0) {
    return "the extension citus is not in this database: nothing was changed; install it on every node, create it here, add the nodes, then try again";
  }
  // A gateway that serves would go on reading as if all rows were in one place.
  if (!(await hasOtherGateways(connections))) return undefined;
  return "gateways are connected to this database: nothing was changed; stop them, then try again";
}

/** False if they are distributed already. @throws what Citus says, and then nothing is changed. */
export async function distributeRows(connections: Connections): Promise<boolean> {
  return inTransaction(connections, async (connection) => {
    const rows = await connection.unsafe(inFunctionSet("select distribute_rows() as is_done"));
    await planForShards(connection);
    return rows[0]?.is_done === true;
  });
}
