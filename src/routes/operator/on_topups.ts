/**
 * Operator API: top-ups.
 *
 * @module
 */
import {
  ListedTopupShape,
  ListTopupsInput,
  listTopups,
  reportTopups,
  SettledTopupShape,
  SettleTopupInput,
  settleTopup,
  TopupReportInput,
  TopupReportShape,
} from "../../operator/topups.ts";
import { ACCOUNT_PROBLEMS, defineList, defineRoute, done } from "./define_route.ts";
import { LISTED_TOPUP, TOPUP_REPORT } from "./operator_examples.ts";

export const TOPUP_ROUTES = [
  defineList({
    path: "/topups",
    operationId: "listAllTopUps",
    summary: "List top-ups",
    description: "Newest first.",
    input: ListTopupsInput,
    name: "topups",
    $id: "TopUpList",
    entry: { shape: ListedTopupShape, example: LISTED_TOPUP },
    problems: ACCOUNT_PROBLEMS,
    list: listTopups,
  }),
  defineRoute({
    method: "GET",
    path: "/topups/report",
    operationId: "reportTopUps",
    summary: "Sum up top-ups by payment method",
    description: "By the day on which a top-up was granted or expired.",
    input: TopupReportInput,
    answers: { 200: { shape: TopupReportShape, example: TOPUP_REPORT } },
    problems: ["RANGE_INVALID", "REPORT_TOO_LONG"],
    act: async ({ operator }, input) => done(await reportTopups(operator, input)),
  }),
  defineRoute({
    method: "POST",
    path: "/topups/:topup_id/settle",
    operationId: "settleTopUp",
    summary: "Clear the alert of a top-up",
    description: "Call this once the issue is settled. A second call has no effect.",
    input: SettleTopupInput,
    names: { topup_id: "topup_id" },
    example: { reason: "the payer got the rest by transfer" },
    isSafeToRepeat: true,
    answers: {
      200: {
        shape: SettledTopupShape,
        example: { topup_id: LISTED_TOPUP.topup_id, is_settled: true },
      },
    },
    problems: ["TOPUP_NOT_FOUND"],
    act: async ({ operator, actor }, input) => done(await settleTopup(operator, input, actor)),
  }),
];
