/**
 * Statements: what a provider has earned in a range of days, and what it is owed. Beyond 6.
 *
 * @module
 */
import { Type } from "@sinclair/typebox";
import { type Earnings, GROUPINGS, readEarnings } from "../earnings/earnings.ts";
import { readEarned } from "../earnings/payouts.ts";
import { dayRange } from "../earnings/utc_day.ts";
import { oneOf } from "../lib/typebox.ts";
import { accountReference } from "./common_shapes.ts";
import { inTime } from "./in_time.ts";
import type { InputOf, Operator } from "./operator.ts";
import { findAccount } from "./references.ts";
import { Refused } from "./refused.ts";

export const EarningsInput = Type.Object({
  account_id: accountReference,
  from: Type.Optional(Type.String({ format: "date", description: "The first day, in UTC." })),
  to: Type.Optional(Type.String({ format: "date", description: "The last day, in UTC." })),
  group_by: Type.Optional(oneOf(GROUPINGS, { description: "Default day." })),
});

/** A provider's statement; the range is that of `GET /v1/provider/earnings`. */
export interface Statement {
  readonly accountId: string;
  readonly accountName: string;
  readonly earnings: Earnings;
  /** Of all time. */
  readonly earned: Awaited<ReturnType<typeof readEarned>>;
}

/** @throws {Refused} if the range is none. */
export async function reportEarnings(
  { database }: Operator,
  { account_id: account, group_by: groupBy = "day", ...days }: InputOf<typeof EarningsInput>,
): Promise<Statement> {
  const { account_id: accountId, name: accountName } = await findAccount(database, account);
  const range = dayRange(days, Date.now());
  if (typeof range === "string") throw new Refused("RANGE_INVALID", range);
  const earnings = await inTime(readEarnings(database, { accountId, groupBy, ...range }));
  return { accountId, accountName, earnings, earned: await readEarned(database, accountId) };
}
