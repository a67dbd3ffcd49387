/**
 * Work that readers share, but that is done in the turn of one account, on its budget.
 *
 * If that account has no room, the others are not refused for it: each does the work in its own turn.
 *
 * @module
 */
import { Problem } from "../../http/problem_details.ts";
import { DatabaseOverloadedError, DatabaseTimeSpentError } from "../../postgres/client/database.ts";

/** The account in whose turn shared work was done had no room for it. */
class NoTurn extends Error {
  constructor(
    readonly accountId: string,
    /** What the account is refused with. */
    readonly refusal: unknown,
  ) {
    super("the account has no turn");
  }
}

/** Does shared work in an account's turn. */
export async function inTurnOf<Result>(
  accountId: string,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw isOfTurn(error) ? new NoTurn(accountId, error) : error;
  }
}

/** The result of work that the account shares, or of `own` if it was to be done in a turn that another one lacks. */
export async function sharedFor<Result>(
  accountId: string,
  shared: Promise<Result>,
  own: () => Promise<Result>,
): Promise<Result> {
  try {
    return await shared;
  } catch (error) {
    if (!(error instanceof NoTurn)) throw error;
    if (error.accountId === accountId) throw error.refusal;
    return own();
  }
}

function isOfTurn(error: unknown): boolean {
  return error instanceof Problem
    ? error.code === "RATE_LIMITED" || error.code === "UNAVAILABLE"
    : error instanceof DatabaseTimeSpentError || error instanceof DatabaseOverloadedError;
}
