/** @jsxImportSource preact */
/**
 * Purchases, payouts and promotion codes.
 *
 * @module
 */
import { reportEarnings } from "../../../operator/earnings_statements.ts";
import {
  ListPayoutsInput,
  listPayouts,
  type PayoutOutcome,
  RecordPayoutInput,
  recordPayout,
  UndoPayoutInput,
  undoPayout,
} from "../../../operator/payouts.ts";
import {
  CreatePromotionInput,
  createPromotion,
  ListPromotionsInput,
  listPromotions,
} from "../../../operator/promotions.ts";
import {
  ListPurchasesInput,
  listPurchases,
  RecordPurchaseInput,
  recordPurchase,
  UndoPurchaseInput,
  undoPurchase,
} from "../../../operator/purchases.ts";
import { Credits, digits, Table, Text, Time, Usd } from "../../layout/parts.tsx";
import { ActForm } from "../act_form.tsx";
import { typedNumber } from "../exact_values.ts";
import { AccountLink, FeedLink, Next } from "../lists.tsx";
import { findNames } from "../names.ts";
import type { Acted, Done, Form, PageRoute, Visit } from "../visit.ts";
import { listInput, operatorAct, operatorEntry } from "./operator_act.ts";

/** Of each list. */
const LISTED = 20;

export const MONEY_MOVES: PageRoute = {
  path: "money",
  async show(visit, form) {
    const { operator } = visit;
    const placeOf = (by: string) => ({ limit: LISTED, by });
    const [{ outcome }, payouts, promotions, purchases] = await Promise.all([
      reportEarnings(operator, {}),
      listPayouts(operator, listInput(visit, ListPayoutsInput, placeOf("payouts"))),
      listPromotions(operator, listInput(visit, ListPromotionsInput, placeOf("promotions"))),
      listPurchases(operator, listInput(visit, ListPurchasesInput, placeOf("purchases"))),
    ]);
    const bought = purchases.entries;
    const paid = payouts.entries;
    const { nameOf } = await findNames(
      visit,
      [...bought, ...paid].map((row) => row.account_id),
    );
    return {
      title: "Money",
      content: (
        <>
          <h1>Money</h1>
          <h2>Purchases</h2>
          <Table
            label="Purchases"
            rows={bought}
            columns={[
              { head: "When", kind: "when", cell: (row) => <Time of={row.purchased_at} /> },
              {
                head: "Feed",
                cell: (row) => <FeedLink visit={visit} id={row.feed_id} name={row.endpoint_path} />,
              },
              {
                head: "Buyer",
                cell: ({ account_id: id }) => (
                  <AccountLink visit={visit} id={id} name={nameOf(id)} />
                ),
              },
              { head: "Price", kind: "num", cell: (row) => <Usd of={row.price_usd} /> },
              { head: "Paid from", cell: (row) => row.paid_from },
            ]}
            empty="No feed was bought yet."
          />
          <Next visit={visit} by="purchases" cursor={purchases.nextCursor} text="Older purchases" />
          <h3>Record a payment that was made elsewhere</h3>
          <ActForm
            form={form}
            fields={[
              { name: "buyer", label: "Account, id or name", isRequired: true },
              { name: "bought", label: "Feed, id or slug", isRequired: true },
              { name: "purchase_reference", label: "Reference of the payment" },
            ]}
            buttons={[{ act: "purchase", text: "Record a purchase" }]}
          />
          <h3>Undo a purchase</h3>
          <ActForm
            form={form}
            fields={[
              { name: "undo_account", label: "Account, id or name", isRequired: true },
              { name: "undo_feed", label: "Feed, id or slug", isRequired: true },
              { name: "undo_reason", label: "Reason", isRequired: true },
            ]}
            buttons={[{ act: "undo", text: "Undo", tone: "danger" }]}
          />
          <h2>Payouts to providers</h2>
          <p>
            All providers together are owed <Usd of={outcome.owed_usd} />. What each is owed is on
            its account's page, and is shown before a payout is recorded.
          </p>
          <Table
            label="Payouts"
            rows={paid}
            columns={[
              { head: "When", kind: "when", cell: (row) => <Time of={row.paid_at} /> },
              {
                head: "Provider",
                cell: ({ account_id: id }) => (
                  <AccountLink visit={visit} id={id} name={nameOf(id)} />
                ),
              },
              { head: "Paid", kind: "num", cell: (row) => <Usd of={row.usd} /> },
              { head: "Reference", cell: (row) => <Text of={row.reference} /> },
              { head: "Payout", kind: "num", cell: (row) => row.payout_id },
              { head: "Taken back", cell: (row) => <TakingBack of={row} /> },
            ]}
            empty="No provider was paid yet."
          />
          <Next visit={visit} by="payouts" cursor={payouts.nextCursor} text="Older payouts" />
          <ActForm
            form={form}
            fields={[
              { name: "payee", label: "Provider, id or name", isRequired: true },
              { name: "usd", label: "USD", kind: "decimal", isRequired: true },
              { name: "payout_reference", label: "Reference of the payment", isRequired: true },
              { name: "allow_above", label: "Even if it is more than is owed", kind: "check" },
            ]}
            buttons={[{ act: "payout", text: "Record a payout" }]}
          />
          <h3>Take back a payout that was recorded by mistake</h3>
          <ActForm
            form={form}
            fields={[
              { name: "wrong_payout", label: "Payout, number", kind: "integer", isRequired: true },
              { name: "wrong_reason", label: "Reason", isRequired: true },
            ]}
            buttons={[{ act: "undo_payout", text: "Take back", tone: "danger" }]}
          />
          <h2>Promotion codes</h2>
          <Table
            label="Promotion codes"
            rows={promotions.entries}
            columns={[
              { head: "Code", cell: (row) => <code>{row.code}</code> },
              { head: "Gives", kind: "num", cell: (row) => <Credits of={row.credits} /> },
              {
                head: "Redeemed",
                kind: "num",
                cell: (row) =>
                  `${digits(row.redemptions)} of ${row.max_redemptions === null ? "any number" : digits(row.max_redemptions)}`,
              },
              {
                head: "Ends",
                kind: "when",
                cell: (row) => (row.expires_at === null ? "never" : <Time of={row.expires_at} />),
              },
            ]}
            empty="There is no code yet."
          />
          <Next visit={visit} by="promotions" cursor={promotions.nextCursor} text="More codes" />
          <ActForm
            form={form}
            fields={[
              { name: "code", label: "Code", isRequired: true },
              { name: "promo_credits", label: "Credits", kind: "decimal", isRequired: true },
            ]}
            buttons={[{ act: "promotion", text: "Make a code" }]}
          />
        </>
      ),
    };
  },
  acts: {
    purchase: operatorEntry({
      input: RecordPurchaseInput,
      given: (_, form) => ({
        typed: {
          account_id: form.text("buyer"),
          feed_id: form.text("bought"),
          reference: form.given("purchase_reference"),
        },
      }),
      confirm: (form) =>
        `${form.text("buyer")} reads ${form.text("bought")} free from now on. Nothing is taken from its balance.`,
      run: (operator, input, actor, reference) =>
        recordPurchase(operator, { reference, ...input }, actor),
      done: () => backWith("recorded"),
    }),
    undo: operatorAct({
      input: UndoPurchaseInput,
      given: (_, form) => ({
        typed: {
          account_id: form.text("undo_account"),
          feed_id: form.text("undo_feed"),
          reason: form.text("undo_reason"),
        },
      }),
      confirm: (form) =>
        `The purchase of ${form.text("undo_feed")} by ${form.text("undo_account")} is undone: its price goes back, and the account reads the feed no more.`,
      run: undoPurchase,
      done: () => backWith("undone"),
    }),
    payout: operatorEntry({
      input: RecordPayoutInput,
      given: (_, form) => ({
        typed: {
          account_id: form.text("payee"),
          usd: typedNumber(form.text("usd")),
          reference: form.text("payout_reference"),
          allow_above: form.text("allow_above") === "yes",
        },
      }),
      confirm: confirmPayout,
      run: recordPayout,
      done: () => backWith("recorded"),
    }),
    undo_payout: operatorAct({
      input: UndoPayoutInput,
      given: (_, form) => ({
        known: { payout_id: form.text("wrong_payout") },
        typed: { reason: form.text("wrong_reason") },
      }),
      confirm: (form) =>
        `Payout ${form.text("wrong_payout")} is taken back: its provider is owed the amount again. The reason is: ${form.text("wrong_reason")}`,
      run: undoPayout,
      done: () => backWith("payout_undone"),
    }),
    promotion: operatorEntry({
      input: CreatePromotionInput,
      given: (_, form) => ({
        typed: { code: form.text("code"), credits: typedNumber(form.text("promo_credits")) },
      }),
      confirm: (form) =>
        `Every account may redeem the code ${form.text("code")} once, for ${digits(form.text("promo_credits"))} credits.`,
      run: createPromotion,
      done: () => backWith("made"),
    }),
  },
};

function backWith(done: Done): Acted {
  return { kind: "go", to: "money", done };
}

/** Asks whether to record the payout, and says what the provider is owed now. */
async function confirmPayout(form: Form, { operator }: Visit): Promise<string> {
  const payee = form.text("payee");
  const { outcome } = await reportEarnings(operator, { account_id: payee });
  return `${form.text("usd")} USD are noted as paid to ${payee}, which is owed ${digits(outcome.owed_usd)} USD now.`;
}

function TakingBack({
  of: { undoes_payout_id: undone, undone_by_payout_id: by, reason },
}: TakingBackProps) {
  if (undone !== null) {
    return (
      <>
        takes {undone} back: <Text of={reason} />
      </>
    );
  }
  return by === null ? null : <>by {by}</>;
}

interface TakingBackProps {
  readonly of: PayoutOutcome;
}
