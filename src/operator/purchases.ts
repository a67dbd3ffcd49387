/**
 * Purchases of feeds with a one-time price: the operator lists and undoes them, and records those of accounts that paid
 * elsewhere. See `src/spec/beyond.md`, section 2.
 *
 * @module
 */
import { type Static, Type } from "@sinclair/typebox";
import type { Actor } from "../accounts/actor.ts";
import { changeLedger } from "../accounts/ledger.ts";
import { unreachable } from "../lib/assert.ts";
import { nullable, oneOf } from "../lib/typebox.ts";
import { usdNumber } from "../money/money.ts";
import { NANOS_PER_CENT } from "../money/money_units.ts";
import type { Row } from "../postgres/client/database.ts";
import { exact, time, uuid } from "../shapes.ts";
import { accountReference, entryReference, feedReference, reason } from "./common_shapes.ts";
import { defineCursor, timePart, uuidPart } from "./keyset_cursor.ts";
import { PAGE_INPUT, type Page, readPage } from "./keyset_page.ts";
import { balanceTooLarge, referenceTaken, type WrittenEntry, writtenOf } from "./ledger_entry.ts";
import type { InputOf, Operator } from "./operator.ts";
import { accountIdOf, findAccount, findFeed, findLiveFeed, findOpenAccount } from "./references.ts";
import { Refused } from "./refused.ts";
import type { Within } from "./time_range.ts";

export const PurchaseShape = Type.Object(
  {
    purchase_id: uuid(
      "The same id that the buyer sees: the usage event's, if it was paid from the balance.",
    ),
    paid_from: oneOf(["balance", "elsewhere"], {
      description: "The account's balance, or a payment that the operator has recorded.",
    }),
    entry_id: nullable(
      Type.Integer({ description: "The ledger entry; null if it was paid from the balance." }),
    ),
    account_id: uuid("The account that bought it."),
    feed_id: uuid("The feed that was bought."),
    endpoint_path: nullable(
      Type.String({
        description:
          "The feed's slug. Null once the feed is deleted and the slug is available again.",
      }),
    ),
    reference: nullable(Type.String({ description: "The payment reference." })),
    purchased_at: time("When it was bought or recorded."),
    price_usd: exact("The feed's price at the time of purchase."),
  },
  { $id: "ListedPurchase", description: "A one-time feed that an account has bought." },
);
export type PurchaseOutcome = Static<typeof PurchaseShape>;

export const RecordPurchaseInput = Type.Object({
  account_id: accountReference,
  feed_id: feedReference,
  reference: Type.Optional(entryReference),
});

/** Notes that an account has bought a one-time feed, which opens it for reading. */
export async function recordPurchase(
  { database }: Operator,
  input: InputOf<typeof RecordPurchaseInput>,
  actor: Actor,
): Promise<WrittenEntry> {
  const { account_id: accountId } = await findOpenAccount(database, input.account_id);
  const { feed_id: feedId } = await findLiveFeed(database, input.feed_id);
  const { reference = null } = input;
  const purchase = { account_id: accountId, feed_id: feedId, reference, actor };
  const outcome = await changeLedger(database, "record_purchase", purchase);
  switch (outcome.kind) {
    case "purchased":
    case "repeated":
      return writtenOf(outcome, { feed_id: feedId });
    case "already_purchased":
      throw new Refused(
        "PURCHASE_EXISTS",
        `account ${accountId} has already bought this feed, ${outcome.entry.reference === null ? "without a reference" : `with reference "${outcome.entry.reference}"`}`,
      );
    case "bought_from_balance":
      throw new Refused(
        "PURCHASE_EXISTS",
        `account ${accountId} has already bought this feed, from its balance`,
      );
    case "undone":
      throw new Refused(
        "REFERENCE_TAKEN",
        `the purchase with reference "${outcome.entry.reference}" was undone; if it was paid again, use another reference`,
      );
    case "not_one_time":
      throw new Refused(
        "FEED_NOT_FOR_SALE",
        `feed "${input.feed_id}" has no one-time price: its price_type is not one_time`,
      );
    case "own_feed":
      throw new Refused(
        "FEED_NOT_FOR_SALE",
        `feed "${input.feed_id}" belongs to the account, which reads its own feeds for free`,
      );
    case "reference_taken":
      throw referenceTaken(outcome.entry);
    default:
      return unreachable(outcome);
  }
}

export const UndoPurchaseInput = Type.Object({
  account_id: accountReference,
  feed_id: feedReference,
  reason,
});

/** Takes a purchase back, which closes the feed for reading. What was paid from the balance is given back. */
export async function undoPurchase(
  { database }: Operator,
  input: InputOf<typeof UndoPurchaseInput>,
  actor: Actor,
): Promise<WrittenEntry> {
  const { account_id: accountId } = await findAccount(database, input.account_id);
  const { feed_id: feedId } = await findFeed(database, input.feed_id);
  const { reason } = input;
  const undo = { account_id: accountId, feed_id: feedId, reason, actor };
  const outcome = await changeLedger(database, "undo_purchase", undo);
  switch (outcome.kind) {
    case "undone":
    case "repeated":
      return writtenOf(outcome, { feed_id: feedId });
    case "not_purchased":
      throw new Refused(
        "PURCHASE_NOT_FOUND",
        `account ${accountId} has not bought feed "${input.feed_id}"`,
      );
    case "balance_full":
      throw balanceTooLarge();
    default:
      return unreachable(outcome);
  }
}

export const PURCHASES_CURSOR = defineCursor(timePart, uuidPart);

export const ListPurchasesInput = Type.Object({
  ...PAGE_INPUT,
  account_id: Type.Optional(accountReference),
});

/** Newest first, without those that were undone. */
export async function listPurchases(
  { database }: Operator,
  input: InputOf<typeof ListPurchasesInput> & Within,
): Promise<Page<PurchaseOutcome>> {
  const { limit, cursor, account_id: account, since, until } = input;
  const buyerId = await accountIdOf(database, account);
  const [beforeTime = null, beforeId = null] = PURCHASES_CURSOR.parse(cursor);
  return readPage(limit, {
    read: (rowsMax) =>
      database.rows("list_purchases", {
        account_id: buyerId,
        feed_id: null,
        since: since ?? null,
        until: until ?? null,
        before_purchased_at: beforeTime,
        before_purchase_id: beforeId,
        limit: rowsMax,
      }),
    cursorOf: (row) => PURCHASES_CURSOR.write(row.purchased_at, row.purchase_id),
    entryOf: purchaseOf,
  });
}

function purchaseOf(row: Row<"list_purchases">): PurchaseOutcome {
  const { purchase_id: purchaseId, entry_id: entryId, price_cents: cents, ...rest } = row;
  return {
    purchase_id: purchaseId,
    paid_from: entryId === null ? "balance" : "elsewhere",
    entry_id: entryId === null ? null : Number(entryId),
    ...rest,
    price_usd: usdNumber(cents * NANOS_PER_CENT),
  };
}
