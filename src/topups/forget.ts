/**
 * The job that removes unpaid top-ups without an account. Others are kept, like the ledger.
 *
 * @module
 */
import type { Job } from "../jobs/jobs.ts";
import { intervalOf } from "../lib/time_units.ts";
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
        age: intervalOf(UNPAID_TOPUP_MS),
        limit: BigInt(ROWS_MAX),
      });
      return removed.length === ROWS_MAX;
    },
  };
}
