/**
 * The job that removes top-ups that nobody has paid and that are no account's. Others stay, as the ledger does.
 *
 * @module
 */
import type { Job } from "../jobs/jobs.ts";
import { UNPAID_TOPUP_MS } from "../limits.ts";

const EVERY_MS = 60 * 60_000;
/** Rows that a step removes. */
const ROWS_MAX = 1_000;

export function forgetTopups(): Job {
  return {
    name: "unpaid topups",
    everyMs: EVERY_MS,
    async step(database) {
      const removed = await database.rows("delete_unpaid_topups", {
        age: `${UNPAID_TOPUP_MS} milliseconds`,
        limit: BigInt(ROWS_MAX),
      });
      return removed.length === ROWS_MAX;
    },
  };
}
