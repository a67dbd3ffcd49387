/**
 * Purchases of one-time feeds, as the operator records them for accounts that paid elsewhere. Decisions 7, 8 and 10,
 * beyond 2.
 *
 * @module
 */
import { type Static, Type } from "@sinclair/typebox";
import type { Actor } from "../accounts/actor.ts";
import { changeLedger } from "../accounts/ledger.ts";
import { NANOS_PER_CENT, usdNumber } from "../accounts/money.ts";
import { unreachable } from "../lib/assert.ts";
import { nullable } from "../lib/typebox.ts";
import type { Row } from "../postgres/client/query.ts";
import { time, uuid } from "../shapes.ts";
import { accountReference, entryReference, exact, feedReference, reason } from "./common_shapes.ts";
import { NUMBER_CURSOR } from "./keyset_cursor.ts";
import { PAGE_INPUT, type Page, readPage } from "./keyset_page.ts";
import { entryOf, referenceTaken, type WrittenEntry } from "./ledger_entry.ts";
import type { InputOf, Operator } from "./operator.ts";
import { accountIdOf, findAccount, findFeed, findLiveFeed } from "./references.ts";
import { Refused } from "./refused.ts";

export const PurchaseShape = Type.Object(
  {
    entry_id: Type.Integer({ description: "Of the ledger; grows with time." }),
    account_id: uuid("Who bought it."),
    feed_id: uuid("What was bought."),
    endpoint_path: nullable(
      Type.String({ description: "The feed's slug; null once it is deleted and free." }),
    ),
    reference: nullable(Type.String({ description: "Of the payment." })),
    purchased_at: time("When it was recorded."),
    price_usd: exact("The feed's price at that moment."),
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
  const { account_id: accountId } = await findAccount(database, input.account_id);
  const { feed_id: feedId } = await findLiveFeed(database, input.feed_id);
  const { reference = null } = input;
  const purchase = { account_id: accountId, feed_id: feedId, reference, actor };
  const outcome = await changeLedger(database, "record_purchase", purchase);
  switch (outcome.kind) {
    case "purchased":
    case "repeated":
      return {
        entry: entryOf(outcome.entry, { feed_id: feedId }),
        isRepeated: outcome.kind === "repeated",
      };
    case "already_purchased":
      throw new Refused(
        "PURCHASE_EXISTS",
        `account ${accountId} has bought this feed already, ${outcome.entry.reference === null ? "without a reference" : `under reference "${outcome.entry.reference}"`}`,
      );
    case "undone":
      throw new Refused(
        "REFERENCE_TAKEN",
        `the purchase under reference "${outcome.entry.reference}" was undone; if it was paid again, give another reference`,
      );
    case "not_one_time":
      throw new Refused(
        "FEED_NOT_FOR_SALE",
        `feed "${input.feed_id}" is not sold once: its price_type is not one_time`,
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

/** Takes a purchase back, which closes the feed for reading. */
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
      return {
        entry: entryOf(outcome.entry, { feed_id: feedId }),
        isRepeated: outcome.kind === "repeated",
      };
    case "not_purchased":
      throw new Refused(
        "PURCHASE_NOT_FOUND",
        `account ${accountId} has not bought feed "${input.feed_id}"`,
      );
    default:
      return unreachable(outcome);
  }
}

export const ListPurchasesInput = Type.Object({
  ...PAGE_INPUT,
  account_id: Type.Optional(accountReference),
});

/** Newest first, without those that were undone. The cursor is an entry's id. */
export async function listPurchases(
  { database }: Operator,
  { limit, cursor, account_id: account }: InputOf<typeof ListPurchasesInput>,
): Promise<Page<PurchaseOutcome>> {
  const buyerId = await accountIdOf(database, account);
  const [before = null] = NUMBER_CURSOR.parse(cursor).map(BigInt);
  return readPage(limit, {
    read: (rowsMax) =>
      database.rows("list_purchases", {
        account_id: buyerId,
        before_entry_id: before,
        limit: rowsMax,
      }),
    cursorOf: (row) => row.entry_id,
    entryOf: purchaseOf,
  });
}

function purchaseOf(row: Row<"list_purchases">): PurchaseOutcome {
  const { entry_id: entryId, price_cents: cents, ...rest } = row;
  return {
    entry_id: Number(entryId),
    ...rest,
    price_usd: usdNumber(cents * NANOS_PER_CENT),
  };
}
