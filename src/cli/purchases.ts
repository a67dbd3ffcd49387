/**
 * `purchase record`, `purchase undo`, `purchase list`: one-time feeds that accounts have bought. Decisions 7,
 * 8 and 10, beyond 2.
 *
 * @module
 */
import { changeLedger } from "../accounts/ledger.ts";
import { NANOS_PER_CENT, usdNumber, usdOfCents } from "../accounts/money.ts";
import { unreachable } from "../lib/assert.ts";
import { RefusedError } from "./command.ts";
import { databaseCommand } from "./database.ts";
import { entryAnswer, REASON_OPTION, referenceOption, referenceTaken } from "./ledger_entries.ts";
import { afterNumber, LIMIT_OPTION, listAnswer } from "./list_page.ts";
import { ACCOUNT_OPTION, FEED_OPTION, required } from "./options.ts";
import { accountIdOf, findAccount, findFeed, findLiveFeed } from "./references.ts";

const purchaseRecord = databaseCommand({
  words: "purchase record",
  about: "note that an account has bought a one-time feed, which opens it for reading",
  options: {
    account: required(ACCOUNT_OPTION),
    feed: required(FEED_OPTION),
    reference: referenceOption("of the payment: the same one twice is one entry"),
  },
  run: async ({ database, values, output }) => {
    const { account_id: accountId } = await findAccount(database, values.account);
    const { feed_id: feedId } = await findLiveFeed(database, values.feed);
    const purchase = [accountId, feedId, values.reference ?? null] as const;
    const outcome = await changeLedger(database, "record_purchase", purchase);
    switch (outcome.kind) {
      case "repeated":
        output.note("this purchase was there already, and nothing was added\n");
        return entryAnswer(outcome.entry, { feed_id: feedId });
      case "purchased":
        return entryAnswer(outcome.entry, { feed_id: feedId });
      case "already_purchased":
        throw new RefusedError(
          `account ${accountId} has bought this feed already, ${outcome.entry.reference === null ? "without a reference" : `under reference "${outcome.entry.reference}"`}`,
        );
      case "undone":
        throw new RefusedError(
          `the purchase under reference "${outcome.entry.reference}" was undone; if it was paid again, give another reference`,
        );
      case "not_one_time":
        throw new RefusedError(
          `feed "${values.feed}" is not sold once: its price_type is not one_time`,
        );
      case "reference_taken":
        throw referenceTaken(outcome.entry);
      default:
        return unreachable(outcome);
    }
  },
});

const purchaseUndo = databaseCommand({
  words: "purchase undo",
  about: "take back that an account has bought a one-time feed, which closes it for reading",
  options: {
    account: required(ACCOUNT_OPTION),
    feed: required(FEED_OPTION),
    reason: REASON_OPTION,
  },
  run: async ({ database, values, output }) => {
    const { account_id: accountId } = await findAccount(database, values.account);
    const { feed_id: feedId } = await findFeed(database, values.feed);
    const undo = [accountId, feedId, values.reason] as const;
    const outcome = await changeLedger(database, "undo_purchase", undo);
    switch (outcome.kind) {
      case "repeated":
        output.note(`account ${accountId}'s purchase of this feed was undone already\n`);
        return entryAnswer(outcome.entry, { feed_id: feedId });
      case "undone":
        return entryAnswer(outcome.entry, { feed_id: feedId });
      case "not_purchased":
        throw new RefusedError(`account ${accountId} has not bought feed "${values.feed}"`);
      default:
        return unreachable(outcome);
    }
  },
});

const purchaseList = databaseCommand({
  words: "purchase list",
  about: "list one-time feeds that accounts have bought, newest first; none that was undone",
  options: {
    account: ACCOUNT_OPTION,
    limit: LIMIT_OPTION,
    after: afterNumber("the purchase of this entry"),
  },
  run: async ({ database, values }) => {
    const { after = null } = values;
    const buyerId = await accountIdOf(database, values.account);
    return listAnswer(values.limit, {
      read: (limit) => database.rows("list_purchases", [buyerId, after, limit]),
      cursorOf: (row) => row.entry_id,
      json: ({ entry_id: entryId, price_cents: cents, ...rest }) =>
        JSON.stringify({
          entry_id: Number(entryId),
          ...rest,
          price_usd: usdNumber(cents * NANOS_PER_CENT),
        }),
      columns: {
        BOUGHT: (row) => row.purchased_at,
        ACCOUNT: (row) => row.account_id,
        SLUG: { whole: (row) => row.endpoint_path },
        USD: (row) => usdOfCents(row.price_cents),
        REFERENCE: (row) => row.reference,
        FEED: (row) => row.feed_id,
        ENTRY: (row) => row.entry_id,
      },
    });
  },
});

export const PURCHASE_COMMANDS = [purchaseRecord, purchaseUndo, purchaseList];
