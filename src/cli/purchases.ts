/**
 * `purchase record`, `purchase undo`, `purchase list`: one-time feeds that accounts have bought. Decisions 7,
 * 8 and 10, beyond 2.
 *
 * @module
 */
import { type LedgerEntry, recordPurchase, undoPurchase } from "../accounts/ledger.ts";
import { NANOS_PER_CENT, usdOfCents, usdText } from "../accounts/money.ts";
import { unreachable } from "../lib/assert.ts";
import type { Row } from "../postgres/client/query.ts";
import { type Answer, command, RefusedError } from "./command.ts";
import { withDatabase } from "./database.ts";
import {
  entryFields,
  entryText,
  REASON_OPTION,
  REFERENCE_LENGTH_MAX,
  referenceOption,
  referenceTaken,
} from "./ledger_entries.ts";
import { LIMIT_OPTION, readPage } from "./list_page.ts";
import { ACCOUNT_OPTION, count, required, text } from "./options.ts";
import { fields, shown, table } from "./output.ts";
import { findAccount, findFeed, findLiveFeed, throwUnknownAccount } from "./references.ts";

const FEED_OPTION = required(
  text({ placeholder: "ID", about: "the feed, by id or slug", lengthMax: REFERENCE_LENGTH_MAX }),
);

const purchaseRecord = command({
  words: "purchase record",
  about: "note that an account has bought a one-time feed, which opens it for reading",
  options: {
    account: required(ACCOUNT_OPTION),
    feed: FEED_OPTION,
    reference: referenceOption("of the payment: the same one twice is one entry"),
  },
  run: ({ config, values }) =>
    withDatabase(config, async (database) => {
      const { account_id: accountId } = await findAccount(database, values.account);
      const { feed_id: feedId } = await findLiveFeed(database, values.feed);
      const { reference } = values;
      const outcome = await recordPurchase(database, { accountId, feedId, reference });
      switch (outcome.kind) {
        case "purchased":
        case "repeated":
          return feedEntryAnswer(outcome.entry, feedId);
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
        case "account_unknown":
          return throwUnknownAccount(values.account);
        case "feed_unknown":
          throw new RefusedError(`there is no feed "${values.feed}"; see feedgate feed list`);
        default:
          return unreachable(outcome);
      }
    }),
});

const purchaseUndo = command({
  words: "purchase undo",
  about: "take back that an account has bought a one-time feed, which closes it for reading",
  options: { account: required(ACCOUNT_OPTION), feed: FEED_OPTION, reason: REASON_OPTION },
  run: ({ config, values, output }) =>
    withDatabase(config, async (database) => {
      const { account_id: accountId } = await findAccount(database, values.account);
      const { feed_id: feedId } = await findFeed(database, values.feed);
      const outcome = await undoPurchase(database, { accountId, feedId, reason: values.reason });
      switch (outcome.kind) {
        case "repeated":
          output.note(`account ${accountId}'s purchase of this feed was undone already\n`);
          return feedEntryAnswer(outcome.entry, feedId);
        case "undone":
          return feedEntryAnswer(outcome.entry, feedId);
        case "not_purchased":
          throw new RefusedError(`account ${accountId} has not bought feed "${values.feed}"`);
        case "account_unknown":
          return throwUnknownAccount(values.account);
        default:
          return unreachable(outcome);
      }
    }),
});

const purchaseList = command({
  words: "purchase list",
  about: "list one-time feeds that accounts have bought, newest first; none that was undone",
  options: {
    account: ACCOUNT_OPTION,
    limit: LIMIT_OPTION,
    after: count(
      "go on behind the purchase of this entry; a page that is not the last one tells it",
      Number.MAX_SAFE_INTEGER,
    ),
  },
  run: ({ config, values }) =>
    withDatabase(config, async (database) => {
      const { account, after } = values;
      const buyer = account === undefined ? undefined : await findAccount(database, account);
      const before = after === undefined ? null : BigInt(after);
      const { rows, more } = await readPage(values.limit, {
        read: (limit) =>
          database.rows("list_purchases", [buyer?.account_id ?? null, before, limit]),
        cursorOf: (row) => row.entry_id,
      });
      return {
        more,
        json: `[${rows.map(purchaseText).join(",")}]`,
        text: table(
          ["BOUGHT", "ACCOUNT", "FEED", "SLUG", "USD", "REFERENCE", "ENTRY"],
          rows.map((row) => [
            row.purchased_at,
            row.account_id,
            row.feed_id,
            row.endpoint_path,
            usdOfCents(row.price_cents),
            shown(row.reference),
            String(row.entry_id),
          ]),
        ),
      };
    }),
});

export const PURCHASE_COMMANDS = [purchaseRecord, purchaseUndo, purchaseList];

/** An entry about a feed. */
function feedEntryAnswer(entry: LedgerEntry, feedId: string): Answer {
  return {
    json: entryText(entry, `,"feed_id":"${feedId}"`),
    text: fields({ feed: feedId, ...entryFields(entry) }),
  };
}

function purchaseText(row: Row<"list_purchases">): string {
  const { entry_id: entryId, price_cents: cents, ...rest } = row;
  return `{"entry_id":${entryId},${JSON.stringify(rest).slice(1, -1)},"price_usd":${usdText(cents * NANOS_PER_CENT)}}`;
}
