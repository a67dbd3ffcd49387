/**
 * Operator API: activity of the gateway, and providers' earnings and payouts.
 *
 * @module
 */
import { Type } from "@sinclair/typebox";
import { earningsCsv } from "../../accounts/earnings/earnings.ts";
import { oneOf } from "../../lib/typebox.ts";
import {
  EarningsInput,
  reportEarnings,
  StatementShape,
} from "../../operator/earnings_statements.ts";
import {
  ListPayoutsInput,
  listPayouts,
  ProviderPayoutShape,
  RecordPayoutInput,
  recordPayout,
  UndoPayoutInput,
  undoPayout,
} from "../../operator/payouts.ts";
import { readStats, StatsInput, StatsShape } from "../../operator/stats.ts";
import { ACCOUNT_PROBLEMS, defineList, defineRoute, done, made } from "./define_route.ts";
import { PAYOUT, PAYOUT_UNDO, STATEMENT, STATEMENT_CSV, STATS } from "./operator_examples.ts";

const PAYOUT_ANSWER = { shape: ProviderPayoutShape, example: PAYOUT };
const UNDO_ANSWER = { shape: ProviderPayoutShape, example: PAYOUT_UNDO };

export const REPORT_ROUTES = [
  defineRoute({
    method: "GET",
    path: "/stats",
    operationId: "readStats",
    summary: "Show statistics by minute or day",
    description:
      "Reads, refusals, credits, errors and pushes, the last ledger check, and the most-read feeds and most active accounts. Based on totals that are at most one minute old.",
    input: StatsInput,
    answers: { 200: { shape: StatsShape, example: STATS } },
    problems: ["RANGE_INVALID", "REPORT_TOO_LONG"],
    act: async ({ operator }, input) => done(await readStats(operator, input)),
  }),
  defineRoute({
    method: "GET",
    path: "/earnings",
    operationId: "reportEarnings",
    summary: "Show what one or all providers earned and are owed",
    description:
      "By day, month, feed or account, as providers see it, from totals that are at most one minute old. CSV contains the groups.",
    input: Type.Object({
      ...EarningsInput.properties,
      format: Type.Optional(oneOf(["json", "csv"], { description: "Default json." })),
    }),
    answers: { 200: { shape: StatementShape, example: STATEMENT, csv: STATEMENT_CSV } },
    problems: [...ACCOUNT_PROBLEMS, "RANGE_INVALID", "REPORT_TOO_LONG"],
    async act({ operator }, { format, ...input }) {
      const { outcome } = await reportEarnings(operator, input);
      if (format !== "csv") return done(outcome);
      const { from, to } = outcome;
      return {
        status: 200,
        body: earningsCsv(outcome),
        headers: {
          "Content-Type": "text/csv; charset=utf-8",
          "Content-Disposition": `attachment; filename="earnings-${from}-${to}.csv"`,
        },
      };
    },
  }),
  defineList({
    path: "/payouts",
    operationId: "listAllPayouts",
    summary: "List payouts to providers",
    description:
      "Newest first. A reversed payout stays in the list; the entry that reverses it has the negative amount.",
    input: ListPayoutsInput,
    name: "payouts",
    $id: "ProviderPayoutList",
    entry: { shape: ProviderPayoutShape, example: PAYOUT },
    problems: ACCOUNT_PROBLEMS,
    list: listPayouts,
  }),
  defineRoute({
    method: "POST",
    path: "/payouts",
    operationId: "recordPayout",
    summary: "Record a payout to a provider",
    description:
      "Reduces what the provider is owed. A payout of more than is owed is refused unless `allow_above` is true. Repeating a `reference` creates no second payout: it returns 201 the first time and 200 after that.",
    input: RecordPayoutInput,
    example: { account_id: "Seismic Data", usd: 4.5, reference: "transfer-2026-11" },
    isSafeToRepeat: true,
    answers: { 200: PAYOUT_ANSWER, 201: PAYOUT_ANSWER },
    problems: [...ACCOUNT_PROBLEMS, "REFERENCE_TAKEN", "PAYOUT_ABOVE_OWED"],
    async act({ operator, actor }, input) {
      const { payout, isRepeated } = await recordPayout(operator, input, actor);
      return isRepeated ? done(payout) : made(payout);
    },
  }),
  defineRoute({
    method: "POST",
    path: "/payouts/:payout_id/undo",
    operationId: "undoPayout",
    summary: "Reverse a payout that was recorded by mistake",
    description:
      "The provider is owed the amount again. Returns the entry that reverses it: 201 the first time, 200 after that.",
    input: UndoPayoutInput,
    names: { payout_id: "payout_id" },
    example: { reason: "the transfer came back" },
    isSafeToRepeat: true,
    answers: { 200: UNDO_ANSWER, 201: UNDO_ANSWER },
    problems: ["PAYOUT_NOT_FOUND"],
    async act({ operator, actor }, input) {
      const { payout, isRepeated } = await undoPayout(operator, input, actor);
      return isRepeated ? done(payout) : made(payout);
    },
  }),
];
