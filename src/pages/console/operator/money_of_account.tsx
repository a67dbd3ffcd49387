/** @jsxImportSource preact */
/**
 * The money of an account: its balance and the check of it, credits that an operator adds or revokes, what it has
 * bought, and what it earns and is paid as a provider.
 *
 * @module
 */
import { problemOf } from "../../../api/problems/problems.ts";
import {
  outlineAccount,
  type ProvenAccountOutcome,
  showAccount,
} from "../../../operator/accounts.ts";
import { CreditsInput, grantCredits, revokeCredits } from "../../../operator/credits.ts";
import { RedeemPromotionInput, redeemPromotion } from "../../../operator/promotions.ts";
import { Refused, refusedOf } from "../../../operator/refused.ts";
import { counted, dollars, FigureCard, Message, Text } from "../../layout/parts.tsx";
import { ActForm, FoldedForm } from "../act_form.tsx";
import { moneyWords, typedCredits, typedUsd, usdOfCredits } from "../amounts.ts";
import { fileOf } from "../listed_table.tsx";
import { RangeLinks, rangeOf } from "../shown_range.tsx";
import { type Acted, type Done, idOf, type PageRoute, type Visit } from "../visit.ts";
import { accountView, framedAccount, nameOfAccount } from "./account_frame.tsx";
import { moneyActs, payoutsTable, purchasesTable } from "./money_tables.tsx";
import { operatorEntry, operatorMakes } from "./operator_act.ts";
import { suggest } from "./picks.ts";

const LISTED = 20;

/** The check of an account's balance, or why there is none. */
type Proof = ProvenAccountOutcome | Refused;

export const MONEY_OF_ACCOUNT: PageRoute = {
  path: "accounts/:id/money",
  download: (visit) => {
    const of = { accountId: idOf(visit), rows: LISTED };
    return fileOf(visit, [purchasesTable(visit, of), payoutsTable(visit, of)]);
  },
  async show(visit, form) {
    const id = idOf(visit);
    const { operator } = visit;
    const of = { accountId: id, rows: LISTED };
    const row = await outlineAccount(operator, { account_id: id });
    const isAsked = visit.query.get("prove") === "yes";
    const [proof, purchases, payouts, feeds] = await Promise.all([
      row.has_long_log && !isAsked
        ? undefined
        : showAccount(operator, { account_id: id }).catch(refusedOf),
      purchasesTable(visit, of).show(),
      payoutsTable(visit, of).show(),
      suggest(visit, "feeds", ""),
    ]);
    const { earned } = row;
    const isOpen = row.closed_at === undefined;
    return accountView({
      visit,
      account: row,
      part: "money",
      children: (
        <>
          <div class="cards">
            <FigureCard
              label="Balance"
              value={`${dollars(row.balance_usd)} USD`}
              note={counted(row.balance_credits, "credit")}
            />
            <BalanceCheck proof={proof} />
            <FigureCard
              label="Owed earnings"
              value={`${dollars(earned.owed_usd)} USD`}
              note={`${dollars(earned.earned_usd)} USD earned, ${dollars(earned.paid_usd)} paid`}
            />
          </div>
          {proof === undefined ? (
            <p class="small">
              The usage log is long, so the balance is checked only on request.{" "}
              <a href="?prove=yes">Check it now</a>
            </p>
          ) : (
            <p class="small soft">{proofText(proof)}</p>
          )}
          <p class="small">
            <a href={`${visit.root}/console/audit?account_id=${id}&what=credits`}>
              Credits added or revoked
            </a>
          </p>
          {isOpen && (
            <>
              <h2>Add credits</h2>
              <ActForm
                form={form}
                isDirect
                fields={[
                  { name: "usd_added", label: "Amount", kind: "usd", isRequired: true },
                  { name: "reason", label: "Reason", isRequired: true },
                  { name: "reference", label: "Payment reference" },
                ]}
                buttons={[{ act: "grant", text: "Add credits" }]}
                effect="The credits can be spent immediately. 1 USD is 1,000,000 credits. Reusing a reference adds no credits."
              />
              <FoldedForm
                summary="Redeem a promotion code for the account"
                form={form}
                isDirect
                fields={[{ name: "code", label: "Code", isRequired: true }]}
                buttons={[{ act: "redeem", text: "Redeem", tone: "quiet" }]}
                effect="Its credits are added to the balance, once per account."
              />
            </>
          )}
          <FoldedForm
            summary="Revoke credits"
            form={form}
            fields={[
              { name: "usd_revoked", label: "Amount", kind: "usd", isRequired: true },
              { name: "revoke_reason", label: "Reason", isRequired: true },
              { name: "revoke_reference", label: "Reference" },
            ]}
            buttons={[{ act: "take", text: "Revoke credits", tone: "danger" }]}
            effect="At most the current balance."
          />
          <RangeLinks visit={visit} range={rangeOf(visit)} />
          <h2>Purchases</h2>
          {purchases}
          {isOpen && (
            <FoldedForm
              summary="Record a purchase paid outside the gateway"
              form={form}
              hidden={{ buyer: id }}
              fields={[
                {
                  name: "bought",
                  label: "Feed",
                  isRequired: true,
                  suggestions: { names: feeds, address: "../../find?of=feeds&q=" },
                },
                { name: "purchase_reference", label: "Payment reference" },
              ]}
              buttons={[{ act: "purchase", text: "Record a purchase" }]}
            />
          )}
          <h2>Payouts</h2>
          {payouts}
          <FoldedForm
            summary="Record a payout"
            form={form}
            hidden={{ payee: id }}
            fields={[
              { name: "usd", label: "Paid", kind: "usd", isRequired: true },
              { name: "payout_reference", label: "Payment reference", isRequired: true },
              { name: "allow_above", label: "Allow more than is owed", kind: "check" },
            ]}
            buttons={[{ act: "payout", text: "Record a payout" }]}
            effect={`${dollars(earned.owed_usd)} USD is currently owed.`}
          />
        </>
      ),
    });
  },
  acts: {
    ...moneyActs({
      at: (visit) => `accounts/${idOf(visit)}/money`,
      async account(visit) {
        const { id, name } = await framedAccount(visit);
        return { kind: "picked", id, name };
      },
    }),
    grant: operatorEntry({
      input: CreditsInput,
      given: (visit, form) => ({
        typed: {
          account_id: idOf(visit),
          credits: typedCredits(form, "usd_added"),
          reason: form.text("reason"),
          reference: form.given("reference"),
        },
      }),
      run: (operator, input, actor, reference) =>
        grantCredits(operator, { reference, ...input }, actor),
      done: (visit) => backTo(visit, "granted"),
    }),
    take: operatorEntry({
      input: CreditsInput,
      given: (visit, form) => ({
        typed: {
          account_id: idOf(visit),
          credits: typedCredits(form, "usd_revoked"),
          reason: form.text("revoke_reason"),
          reference: form.given("revoke_reference"),
        },
      }),
      confirm: async (form, visit) =>
        `${moneyWords(typedUsd(form, "usd_revoked"))} will be deducted from the balance of ${await nameOfAccount(visit)}. Reason: ${form.text("revoke_reason")}`,
      run: (operator, input, actor, reference) =>
        revokeCredits(operator, { reference, ...input }, actor),
      done: (visit) => backTo(visit, "taken"),
    }),
    redeem: operatorMakes({
      input: RedeemPromotionInput,
      given: (visit, form) => ({
        known: { code: form.text("code") },
        typed: { account_id: idOf(visit) },
      }),
      run: redeemPromotion,
      done: (visit) => backTo(visit, "redeemed"),
    }),
  },
};

function backTo(visit: Visit, done: Done): Acted {
  return { kind: "go", to: `accounts/${idOf(visit)}/money`, done };
}

function BalanceCheck({ proof }: { readonly proof: Proof | undefined }) {
  if (proof === undefined || proof instanceof Refused) {
    return <FigureCard label="Balance check" value="not checked" note="see below" />;
  }
  return proof.ledger.is_balanced ? (
    <FigureCard label="Balance check" value="correct" note="checked just now" />
  ) : (
    <FigureCard label="Balance check" value="wrong" note="see below" />
  );
}

function proofText(proof: Proof) {
  if (proof instanceof Refused) {
    return (
      <Message tone="warn">
        <p>
          <Text of={problemOf(proof).detailIn()} />
        </p>
      </Message>
    );
  }
  const { ledger, balance_usd: balance } = proof;
  const usd = (credits: typeof ledger.granted_credits) => dollars(usdOfCredits(credits));
  const sign = ledger.is_balanced ? "=" : "≠";
  return `${usd(ledger.granted_credits)} granted − ${usd(ledger.revoked_credits)} revoked − ${usd(ledger.charged_credits)} charged + ${usd(ledger.refunded_credits)} refunded ${sign} ${dollars(balance)} USD`;
}
