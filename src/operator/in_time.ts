/**
 * Limits the time of a report. For every caller, the database cancels a statement that takes longer than its session
 * allows (`ConnectOptions.statementTimeoutMs`).
 *
 * @module
 */
import { isCancelled } from "../postgres/client/failures.ts";
import { Refused } from "./refused.ts";

/** @throws {Refused} if the database has ended the statement. */
export async function inTime<Result>(report: Promise<Result>): Promise<Result> {
  try {
    return await report;
  } catch (error) {
    if (!isCancelled(error)) throw error;
    throw new Refused("REPORT_TOO_LONG", "the report took too long; request a shorter period");
  }
}
