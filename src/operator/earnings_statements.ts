/**
 * Statements: what one provider or all providers earned in a range of days, and what they are owed. See
 * `src/spec/beyond.md`, section 6.
 *
 * @module
 */
import { type Static, Type } from "@sinclair/typebox";
import { dayRange } from "../accounts/earnings/day_range.ts";
import {
  OPERATOR_GROUPINGS,
  operatorEarningsMembers,
  readEarnings,
} from "../accounts/earnings/earnings.ts";
import { readEarned } from "../accounts/earnings/provider_payouts.ts";
import { nullable, oneOf } from "../lib/typebox.ts";
import { EARNINGS_DAYS_DEFAULT, EARNINGS_DAYS_MAX } from "../limits.ts";
import { exact, uuid } from "../shapes.ts";
import { accountReference } from "./common_shapes.ts";
import { inTime } from "./in_time.ts";
import type { InputOf, Operator } from "./operator.ts";
import { findAccount } from "./references.ts";
import { Refused } from "./refused.ts";

export const EarningsInput = Type.Object({
  account_id: Type.Optional(accountReference),
  from: Type.Optional(
    Type.String({
      format: "date",
      description: `The first day, in UTC; default ${EARNINGS_DAYS_DEFAULT} days including the last one. A range has at most ${EARNINGS_DAYS_MAX} days.`,
    }),
  ),
  to: Type.Optional(
    Type.String({ format: "date", description: "The last day, in UTC; default today." }),
  ),
  group_by: Type.Optional(oneOf(OPERATOR_GROUPINGS, { description: "Default day." })),
});

export const StatementShape = Type.Object(
  {
    account_id: nullable(uuid("The provider; null: all of them.")),
    ...operatorEarningsMembers,
    earned_usd: exact("All-time net earnings that have been counted."),
    paid_usd: exact("All payouts."),
    owed_usd: exact("Earned minus paid; negative if more was paid."),
  },
  { $id: "Statement", description: "Sales of, and the amount owed to, one or all providers." },
);
export type StatementOutcome = Static<typeof StatementShape>;

/** A provider's statement, or that of all; the range is that of `GET /v1/provider/earnings`. */
export interface Statement {
  /** Undefined: it is that of all. */
  readonly accountName: string | undefined;
  readonly outcome: StatementOutcome;
}

/** @throws {Refused} if the range is none. */
export async function reportEarnings(
  { database }: Operator,
  { account_id: account, group_by: groupBy = "day", ...days }: InputOf<typeof EarningsInput>,
): Promise<Statement> {
  const found = account === undefined ? undefined : await findAccount(database, account);
  const accountId = found?.account_id ?? null;
  const range = dayRange(days, Date.now());
  if (typeof range === "string") throw new Refused("RANGE_INVALID", range);
  const earnings = await inTime(readEarnings(database, { accountId, groupBy, ...range }));
  const { earned_usd, paid_usd, owed_usd } = await inTime(readEarned(database, accountId));
  return {
    accountName: found?.name,
    outcome: { account_id: accountId, ...earnings, earned_usd, paid_usd, owed_usd },
  };
}
