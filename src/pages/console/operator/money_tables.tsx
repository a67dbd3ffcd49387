/** @jsxImportSource preact */
/**
 * Purchases and payouts, of one account or of all, as operators see and undo them.
 *
 * @module
 */
import type { Actor } from "../../../accounts/actor.ts";
import { nanosOfUsd, usdNumber } from "../../../money/money.ts";
import { reportEarnings } from "../../../operator/earnings_statements.ts";
import {
  listPayouts,
  type PayoutOutcome,
  RecordPayoutInput,
  recordPayout,
  UndoPayoutInput,
  undoPayout,
} from "../../../operator/payouts.ts";
import {
  listPurchases,
  type PurchaseOutcome,
  RecordPurchaseInput,
  recordPurchase,
  UndoPurchaseInput,
  undoPurchase,
} from "../../../operator/purchases.ts";
import { dollars, plain, Text } from "../../layout/parts.tsx";
import { ActForm } from "../act_form.tsx";
import { typedUsd, usdWords } from "../amounts.ts";
import { type ListedTable, listedTable } from "../listed_table.tsx";
import { AccountLink, FeedLink } from "../lists.tsx";
import { findNames } from "../names.ts";
import { rangeOf } from "../shown_range.tsx";
import type { Acted, Change, Done, Form, Visit } from "../visit.ts";
import { operatorAct, operatorEntry } from "./operator_act.ts";
import { type Picked, pickAccount, pickFeed } from "./picks.ts";

interface TableOfMoney {
  /** Undefined: of all accounts. */
  readonly accountId?: string;
  readonly rows: number;
}

type NamedPurchase = PurchaseOutcome & { readonly buyer: string | undefined };

export function purchasesTable(visit: Visit, { accountId, rows }: TableOfMoney): ListedTable {
  const { since, until } = rangeOf(visit);
  return listedTable<NamedPurchase>(visit, {
    name: "purchases",
    label: "Purchases",
    rows,
    by: "purchases_cursor",
    next: "Older purchases",
    empty: "No purchases in this period.",
    async read(part) {
      const within = { account_id: accountId, since, until, ...part };
      const { entries, nextCursor } = await listPurchases(visit.operator, within);
      const { nameOf } = await findNames(
        visit,
        entries.map((row) => row.account_id),
      );
      const named = entries.map((row) => ({ ...row, buyer: nameOf(row.account_id) }));
      return { entries: named, nextCursor };
    },
    columns: [
      { head: "When", kind: "when", text: (row) => row.purchased_at },
      {
        head: "Feed",
        text: (row) => row.endpoint_path ?? row.feed_id,
        cell: (row) => <FeedLink visit={visit} id={row.feed_id} name={row.endpoint_path} />,
      },
      ...(accountId === undefined
        ? [
            {
              head: "Buyer",
              text: (row: NamedPurchase) => row.buyer ?? row.account_id,
              cell: (row: NamedPurchase) => (
                <AccountLink visit={visit} id={row.account_id} name={row.buyer} />
              ),
            },
          ]
        : []),
      { head: "Price", kind: "usd", text: (row) => row.price_usd },
      { head: "Paid from", text: (row) => row.paid_from },
      { head: "Reference", text: (row) => row.reference },
    ],
    buttons: [
      {
        head: "Undo",
        cell: (row) => (
          <ActForm
            hidden={{
              undo_account: row.account_id,
              undo_feed: row.feed_id,
              undo_buyer: row.buyer ?? row.account_id,
              undo_slug: row.endpoint_path ?? row.feed_id,
              undo_price: plain(row.price_usd),
              undo_from: row.paid_from,
            }}
            buttons={[{ act: "undo", text: "Undo", tone: "danger" }]}
          />
        ),
      },
    ],
  });
}

type NamedPayout = PayoutOutcome & { readonly provider: string | undefined };

export function payoutsTable(visit: Visit, { accountId, rows }: TableOfMoney): ListedTable {
  const { since, until } = rangeOf(visit);
  return listedTable<NamedPayout>(visit, {
    name: "payouts",
    label: "Payouts",
    rows,
    by: "payouts_cursor",
    next: "Older payouts",
    empty: "No payouts in this period.",
    async read(part) {
      const within = { account_id: accountId, since, until, ...part };
      const { entries, nextCursor } = await listPayouts(visit.operator, within);
      const { nameOf } = await findNames(
        visit,
        entries.map((row) => row.account_id),
      );
      const named = entries.map((row) => ({ ...row, provider: nameOf(row.account_id) }));
      return { entries: named, nextCursor };
    },
    columns: [
      { head: "When", kind: "when", text: (row) => row.paid_at },
      { head: "Payout", kind: "num", text: (row) => row.payout_id, cell: (row) => row.payout_id },
      ...(accountId === undefined
        ? [
            {
              head: "Provider",
              text: (row: NamedPayout) => row.provider ?? row.account_id,
              cell: (row: NamedPayout) => (
                <AccountLink visit={visit} id={row.account_id} name={row.provider} />
              ),
            },
          ]
        : []),
      { head: "Paid", kind: "usd", text: (row) => row.usd },
      { head: "Reference", text: (row) => row.reference },
      { head: "Note", text: noteOf, cell: (row) => <Text of={noteOf(row)} /> },
    ],
    buttons: [
      {
        head: "Undo",
        cell: (row) =>
          row.undoes_payout_id === null &&
          row.undone_by_payout_id === null && (
            <ActForm
              hidden={{
                wrong_payout: String(row.payout_id),
                wrong_payee: row.provider ?? row.account_id,
                wrong_usd: plain(row.usd),
              }}
              buttons={[{ act: "undo_payout", text: "Undo", tone: "danger" }]}
            />
          ),
      },
    ],
  });
}

function noteOf({ undoes_payout_id: undone, undone_by_payout_id: by, reason }: PayoutOutcome) {
  if (undone !== null) return `reverses payout ${undone}: ${reason}`;
  return by === null ? "" : `reversed by payout ${by}`;
}

interface MoneyPage {
  /** Where the page is, below `/console`. */
  at(visit: Visit): string;
  /** The account of the page; undefined: the form names it. */
  account?(visit: Visit): Promise<Picked>;
}

/** The acts of a page that has these tables. */
export function moneyActs({ at, account }: MoneyPage): Readonly<Record<string, Change>> {
  const back = (visit: Visit, done: Done): Acted => ({ kind: "go", to: at(visit), done });
  const whom = async (visit: Visit, form: Form, field: string) =>
    account === undefined ? pickAccount(visit, form, field) : account(visit);
  return {
    purchase: operatorEntry({
      input: RecordPurchaseInput,
      given: (_, form) => ({
        typed: {
          account_id: form.text("buyer"),
          feed_id: form.text("bought"),
          reference: form.given("purchase_reference"),
        },
      }),
      async confirm(form, visit) {
        const buyer = await whom(visit, form, "buyer");
        if (buyer.kind === "choose") return buyer;
        const feed = await pickFeed(visit, form, "bought");
        if (feed.kind === "choose") return feed;
        return {
          kind: "ask",
          sentence: `${buyer.name} has paid for ${feed.name} outside the gateway. Its reads of the feed will be free. Its balance is not charged, and the provider earns the price.`,
          fields: [
            ["buyer", buyer.id],
            ["bought", feed.id],
          ],
        };
      },
      run: (operator, input, actor, reference) =>
        recordPurchase(operator, { reference, ...input }, actor),
      done: (visit) => back(visit, "recorded"),
    }),
    undo: operatorAct({
      input: UndoPurchaseInput,
      asks: [{ name: "undo_reason", label: "Reason", isRequired: true }],
      given: (_, form) => ({
        known: { account_id: form.text("undo_account"), feed_id: form.text("undo_feed") },
        typed: { reason: form.text("undo_reason") },
      }),
      confirm(form) {
        const price = usdWords(nanosOfUsd(form.text("undo_price")) ?? 0n);
        const refund =
          form.text("undo_from") === "balance"
            ? `${price} will be refunded to its balance`
            : `you must refund its price, ${price}, yourself`;
        return `The purchase of ${form.text("undo_slug")} by ${form.text("undo_buyer")} will be undone: ${refund}, and the account can no longer read the feed. The provider's earnings decrease by the same amount.`;
      },
      run: (operator, input, actor: Actor) => undoPurchase(operator, input, actor),
      done: (visit) => back(visit, "undone"),
    }),
    payout: operatorEntry({
      input: RecordPayoutInput,
      given: (_, form) => ({
        typed: {
          account_id: form.text("payee"),
          usd: usdNumber(typedUsd(form, "usd")),
          reference: form.text("payout_reference"),
          allow_above: form.text("allow_above") === "yes",
        },
      }),
      async confirm(form, visit) {
        const payee = await whom(visit, form, "payee");
        if (payee.kind === "choose") return payee;
        const { outcome } = await reportEarnings(visit.operator, { account_id: payee.id });
        return {
          kind: "ask",
          sentence: `${usdWords(typedUsd(form, "usd"))} will be recorded as paid to ${payee.name}, which is currently owed ${dollars(outcome.owed_usd)} USD. This moves no money; make the payment first.`,
          fields: [["payee", payee.id]],
        };
      },
      run: recordPayout,
      done: (visit) => back(visit, "recorded"),
    }),
    undo_payout: operatorAct({
      input: UndoPayoutInput,
      asks: [{ name: "wrong_reason", label: "Reason", isRequired: true }],
      given: (_, form) => ({
        known: { payout_id: form.text("wrong_payout") },
        typed: { reason: form.text("wrong_reason") },
      }),
      confirm: (form) =>
        `Payout ${form.text("wrong_payout")} of ${usdWords(nanosOfUsd(form.text("wrong_usd")) ?? 0n)} to ${form.text("wrong_payee")} will be reversed: the provider is owed the amount again. Both entries stay in the list.`,
      run: undoPayout,
      done: (visit) => back(visit, "payout_undone"),
    }),
  };
}
