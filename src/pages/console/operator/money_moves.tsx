/** @jsxImportSource preact */
/**
 * The money of all accounts: purchases, payouts and promotion codes.
 *
 * @module
 */
import { reportEarnings } from "../../../operator/earnings_statements.ts";
import {
  CreatePromotionInput,
  createPromotion,
  type ListedPromotionOutcome,
  listPromotions,
} from "../../../operator/promotions.ts";
import { dollars, FigureCard } from "../../layout/parts.tsx";
import { FoldedForm } from "../act_form.tsx";
import { moneyWords, typedCredits, typedUsd, usdOfCredits } from "../amounts.ts";
import { fileOf, type ListedTable, listedTable } from "../listed_table.tsx";
import { RangeLinks, rangeOf } from "../shown_range.tsx";
import type { PageRoute, Visit } from "../visit.ts";
import { moneyActs, payoutsTable, purchasesTable } from "./money_tables.tsx";
import { operatorEntry } from "./operator_act.ts";
import { suggest } from "./picks.ts";

/** Of each list. */
const LISTED = 20;

export const MONEY_MOVES: PageRoute = {
  path: "money",
  download: (visit) =>
    fileOf(visit, [
      purchasesTable(visit, { rows: LISTED }),
      payoutsTable(visit, { rows: LISTED }),
      promotionsTable(visit),
    ]),
  async show(visit, form) {
    const { operator } = visit;
    const range = rangeOf(visit);
    const { from, to } = range;
    const [{ outcome }, purchases, payouts, promotions, accounts, feeds] = await Promise.all([
      reportEarnings(operator, { from, to, group_by: "month" }),
      purchasesTable(visit, { rows: LISTED }).show(),
      payoutsTable(visit, { rows: LISTED }).show(),
      promotionsTable(visit).show(),
      suggest(visit, "accounts", ""),
      suggest(visit, "feeds", ""),
    ]);
    const { totals } = outcome;
    const ofAccounts = { names: accounts, address: "find?of=accounts&q=" };
    const ofFeeds = { names: feeds, address: "find?of=feeds&q=" };
    return {
      title: "Money",
      content: (
        <>
          <h1>Money</h1>
          <RangeLinks visit={visit} range={range} />
          <div class="cards">
            <FigureCard
              label="Owed to providers now"
              value={`${dollars(outcome.owed_usd)} USD`}
              note={`${dollars(outcome.paid_usd)} USD paid so far`}
            />
            <FigureCard
              label="Sold"
              value={`${dollars(totals.gross_usd)} USD`}
              note={`${dollars(totals.refunded_usd)} USD refunded`}
            />
            <FigureCard label="Fees" value={`${dollars(totals.fee_usd)} USD`} note="kept by you" />
          </div>
          <h2>Purchases</h2>
          {purchases}
          <FoldedForm
            summary="Record a purchase paid outside the gateway"
            form={form}
            fields={[
              { name: "buyer", label: "Account", isRequired: true, suggestions: ofAccounts },
              { name: "bought", label: "Feed", isRequired: true, suggestions: ofFeeds },
              { name: "purchase_reference", label: "Payment reference" },
            ]}
            buttons={[{ act: "purchase", text: "Record a purchase" }]}
            effect="Part of a name is enough. The next page shows what will happen."
          />
          <h2>Payouts to providers</h2>
          {payouts}
          <FoldedForm
            summary="Record a payout"
            form={form}
            fields={[
              { name: "payee", label: "Provider", isRequired: true, suggestions: ofAccounts },
              { name: "usd", label: "Paid", kind: "usd", isRequired: true },
              { name: "payout_reference", label: "Payment reference", isRequired: true },
              { name: "allow_above", label: "Allow more than is owed", kind: "check" },
            ]}
            buttons={[{ act: "payout", text: "Record a payout" }]}
            effect="Part of a name is enough. The next page shows what the provider is owed."
          />
          <h2>Promotion codes</h2>
          {promotions}
          <FoldedForm
            summary="Create a promotion code"
            form={form}
            fields={[
              { name: "code", label: "Code", isRequired: true },
              { name: "promo_usd", label: "Amount", kind: "usd", isRequired: true },
            ]}
            buttons={[{ act: "promotion", text: "Create code" }]}
            effect="Each account can redeem it once."
          />
        </>
      ),
    };
  },
  acts: {
    ...moneyActs({ at: () => "money" }),
    promotion: operatorEntry({
      input: CreatePromotionInput,
      given: (_, form) => ({
        typed: { code: form.text("code"), credits: typedCredits(form, "promo_usd") },
      }),
      confirm: (form) =>
        `Each account will be able to redeem the code ${form.text("code")} once, for ${moneyWords(typedUsd(form, "promo_usd"))}. A code can't be deleted.`,
      run: createPromotion,
      done: () => ({ kind: "go", to: "money", done: "code_created" }),
    }),
  },
};

function promotionsTable(visit: Visit): ListedTable {
  return listedTable<ListedPromotionOutcome>(visit, {
    name: "promotions",
    label: "Promotion codes",
    rows: LISTED,
    by: "promotions_cursor",
    next: "More codes",
    empty: "No codes yet.",
    read: (part) => listPromotions(visit.operator, part),
    columns: [
      { head: "Code", text: (row) => row.code, cell: (row) => <code>{row.code}</code> },
      { head: "Amount", kind: "usd", text: (row) => usdOfCredits(row.credits) },
      { head: "Redeemed", kind: "num", text: (row) => row.redemptions },
      {
        head: "Limit",
        kind: "num",
        text: (row) => row.max_redemptions,
        cell: (row) => row.max_redemptions ?? "no limit",
      },
      { head: "Expires", kind: "when", text: (row) => row.expires_at },
      { head: "Created", kind: "when", text: (row) => row.created_at },
    ],
  });
}
