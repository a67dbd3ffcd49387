/** @jsxImportSource preact */
/**
 * Purchases, payouts and promotion codes.
 *
 * @module
 */
import {
  type PayoutOutcome,
  RecordPayoutInput,
  UndoPayoutInput,
} from "../../../operator/payouts.ts";
import { CreatePromotionInput, type ListedPromotionOutcome } from "../../../operator/promotions.ts";
import {
  type PurchaseOutcome,
  RecordPurchaseInput,
  UndoPurchaseInput,
} from "../../../operator/purchases.ts";
import { Credits, digits, type Figure, Table, Text, Time, Usd } from "../../layout/parts.tsx";
import { ActForm } from "../act_form.tsx";
import { operatorAct } from "../acting.ts";
import { AccountLink, FeedLink, type Listed, listQuery, Next } from "../lists.tsx";
import { findNames } from "../names.ts";
import { bodyOf, typedNumber } from "../own_api.ts";
import { refusalOf } from "../refusal_messages.ts";
import type { Confirmation, Form, PageRoute, Visit } from "../visit.ts";

/** Of each list. */
const LISTED = 20;

interface Owed {
  readonly owed_usd: Figure;
}

export const MONEY_MOVES: PageRoute = {
  path: "money",
  async show(visit, form) {
    const listed = async <Name extends string, Entry>(name: Name) => {
      const place = listQuery(visit, { limit: LISTED, by: name });
      return bodyOf(await visit.ask<Listed<Name, Entry>>(`/v1/operator/${name}${place}`));
    };
    const [earnings, payouts, promotions, purchases] = await Promise.all([
      visit.ask<Owed>("/v1/operator/earnings"),
      listed<"payouts", PayoutOutcome>("payouts"),
      listed<"promotions", ListedPromotionOutcome>("promotions"),
      listed<"purchases", PurchaseOutcome>("purchases"),
    ]);
    const bought = purchases.purchases;
    const paid = payouts.payouts;
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
          <Next
            visit={visit}
            by="purchases"
            cursor={purchases.next_cursor}
            text="Older purchases"
          />
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
            All providers together are owed <Usd of={bodyOf(earnings).owed_usd} />. What each is
            owed is on its account's page, and is shown before a payout is recorded.
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
          <Next visit={visit} by="payouts" cursor={payouts.next_cursor} text="Older payouts" />
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
            rows={promotions.promotions}
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
          <Next visit={visit} by="promotions" cursor={promotions.next_cursor} text="More codes" />
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
    purchase: operatorAct({
      confirm: (form) =>
        `${form.text("buyer")} reads ${form.text("bought")} free from now on. Nothing is taken from its balance.`,
      call: (_, form) => ({
        input: RecordPurchaseInput,
        path: "/v1/operator/purchases",
        body: {
          account_id: form.text("buyer"),
          feed_id: form.text("bought"),
          reference: form.given("purchase_reference"),
        },
      }),
      next: () => ({ to: "money", done: "recorded" }),
    }),
    undo: operatorAct({
      confirm: (form) =>
        `The purchase of ${form.text("undo_feed")} by ${form.text("undo_account")} is undone: its price goes back, and the account reads the feed no more.`,
      call: (_, form) => ({
        input: UndoPurchaseInput,
        path: "/v1/operator/purchases/undo",
        body: {
          account_id: form.text("undo_account"),
          feed_id: form.text("undo_feed"),
          reason: form.text("undo_reason"),
        },
      }),
      next: () => ({ to: "money", done: "undone" }),
    }),
    payout: operatorAct({
      confirm: confirmPayout,
      call: (_, form) => ({
        input: RecordPayoutInput,
        path: "/v1/operator/payouts",
        body: {
          account_id: form.text("payee"),
          usd: typedNumber(form.text("usd")),
          reference: form.text("payout_reference"),
          allow_above: form.text("allow_above") === "yes",
        },
      }),
      next: () => ({ to: "money", done: "recorded" }),
    }),
    undo_payout: operatorAct({
      confirm: (form) =>
        `Payout ${form.text("wrong_payout")} is taken back: its provider is owed the amount again. The reason is: ${form.text("wrong_reason")}`,
      call: (_, form) => ({
        input: UndoPayoutInput,
        inPath: { payout_id: form.text("wrong_payout") },
        path: `/v1/operator/payouts/${encodeURIComponent(form.text("wrong_payout"))}/undo`,
        body: { reason: form.text("wrong_reason") },
      }),
      next: () => ({ to: "money", done: "payout_undone" }),
    }),
    promotion: operatorAct({
      confirm: (form) =>
        `Every account may redeem the code ${form.text("code")} once, for ${digits(form.text("promo_credits"))} credits.`,
      call: (_, form) => ({
        input: CreatePromotionInput,
        path: "/v1/operator/promotions",
        body: { code: form.text("code"), credits: typedNumber(form.text("promo_credits")) },
      }),
      next: () => ({ to: "money", done: "made" }),
    }),
  },
};

/** Asks whether to record the payout, and says what the provider is owed now. */
async function confirmPayout(form: Form, visit: Visit): Promise<Confirmation> {
  const payee = form.text("payee");
  const asked = new URLSearchParams({ account_id: payee });
  const answer = await visit.ask<Owed>(`/v1/operator/earnings?${asked}`);
  if (answer.kind === "refused") return refusalOf(answer);
  return `${form.text("usd")} USD are noted as paid to ${payee}, which is owed ${digits(answer.body.owed_usd)} USD now.`;
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
