/** @jsxImportSource preact */
/**
 * What an account has read and spent, by feed and key, and each call, which can be refunded.
 *
 * @module
 */
import { readSpending } from "../../../accounts/earnings/spending.ts";
import { nanosOfUsd, usdText } from "../../../money/money.ts";
import { inTime } from "../../../operator/in_time.ts";
import { listCalls, RefundUsageInput, refundUsage } from "../../../operator/usage.ts";
import type { Column } from "../../layout/parts.tsx";
import { type NamedCall, type UsageSource, usageParts, usageTables } from "../account_usage.tsx";
import { ActForm } from "../act_form.tsx";
import { moneyWords } from "../amounts.ts";
import { fileOf } from "../listed_table.tsx";
import { rangeOf } from "../shown_range.tsx";
import { idOf, type PageRoute, type Visit } from "../visit.ts";
import { accountView, framedAccount, nameOfAccount } from "./account_frame.tsx";
import { operatorAct } from "./operator_act.ts";

export const CALLS_OF_ACCOUNT: PageRoute = {
  path: "accounts/:id/usage",
  download: (visit) => fileOf(visit, usageTables(visit, usageOf(visit))),
  async show(visit) {
    const account = await framedAccount(visit);
    return accountView({
      visit,
      account,
      part: "usage",
      hasCharts: true,
      children: await usageParts(visit, usageOf(visit)),
    });
  },
  acts: {
    refund: operatorAct({
      input: RefundUsageInput,
      asks: [{ name: "refund_reason", label: "Reason", isRequired: true }],
      given: (_, form) => ({
        known: { usage_id: form.text("usage_id") },
        typed: { reason: form.text("refund_reason") },
      }),
      confirm: async (form, visit) =>
        `${await nameOfAccount(visit)} will be refunded ${moneyWords(nanosOfUsd(form.text("charged")) ?? 0n)} for call ${form.text("usage_id")}, once. If the call read a feed, its provider's earnings decrease by the same amount. This can't be undone.`,
      run: refundUsage,
      done: (visit) => ({ kind: "go", to: `accounts/${idOf(visit)}/usage`, done: "refunded" }),
    }),
  },
};

function usageOf(visit: Visit): UsageSource {
  const range = rangeOf(visit);
  const accountId = idOf(visit);
  const { from, to, since, until } = range;
  return {
    range,
    spending: (groupBy) =>
      inTime(readSpending(visit.operator.database, { accountId, from, to, groupBy })),
    calls: (asked) => listCalls(visit.operator, { accountId, since, until, ...asked }),
    callButtons: [REFUND],
  };
}

const REFUND: Column<NamedCall> = {
  head: "Refund",
  cell: ({ usage_id: usageId, charge_nanos: charged }) =>
    charged > 0n && (
      <ActForm
        hidden={{ usage_id: usageId, charged: usdText(charged) }}
        buttons={[{ act: "refund", text: "Refund", tone: "quiet" }]}
      />
    ),
};
