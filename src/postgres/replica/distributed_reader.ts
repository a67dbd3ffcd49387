/**
 * Reads a database whose rows are distributed over the nodes of a Citus cluster.
 *
 * A push is committed on all nodes or on none, but becomes visible on one after the other. For a moment the
 * coordinator has a feed's new data version and another node has the old rows. So the reader first asks for the
 * version that is stored beside the rows. The rows that it reads afterwards are at least as new. If the page names a
 * newer version than that, it is read again.
 *
 * @module
 */
import { assert } from "../../lib/assert.ts";
import { type Database, DatabaseUnavailableError } from "../client/query.ts";
import { createReader, type Reader } from "./reader.ts";

/** Between two tries. The moment is mostly shorter than a round trip. */
const PAUSE_MS = 5;
/** Half a second. Only a node that failed between the two phases of a commit takes as long. */
const TRIES_MAX = 100;

/** `row` is for statements of pages, which are of one feed. */
export function createDistributedReader(database: Database): Reader {
  return {
    ...createReader(database),
    async row(accountId, name, parameters) {
      assert("feed_id" in parameters, "a page is of a feed");
      const feedId = String(parameters.feed_id);
      const queries = database.onBehalfOf(accountId);
      for (let tries = 1; tries <= TRIES_MAX; tries++) {
        const beside = await queries.row("read_feed_version", { feed_id: feedId });
        const row = await queries.row(name, parameters);
        if (row === undefined || versionOf(row) <= (beside?.data_version ?? 0n)) return row;
        await Bun.sleep(PAUSE_MS);
      }
      throw new DatabaseUnavailableError("a feed's rows are not at the version that was committed");
    },
  };
}

function versionOf(row: object): bigint {
  assert("data_version" in row, "a page has its data version");
  return BigInt(String(row.data_version));
}
