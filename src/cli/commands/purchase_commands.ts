/**
 * `purchase record`, `undo` and `list`: manages accounts' purchases of one-time feeds.
 *
 * @module
 */
import {
  listPurchases,
  PURCHASES_CURSOR,
  recordPurchase,
  undoPurchase,
} from "../../operator/purchases.ts";
import { databaseCommand } from "../database_command.ts";
import { afterCursor, LIMIT_OPTION, listAnswer } from "../list_page.ts";
import { ACCOUNT_OPTION, FEED_OPTION, required } from "../options.ts";
import { entryAnswer, REASON_OPTION, referenceOption } from "./ledger_answer.ts";

const purchaseRecord = databaseCommand({
  words: "purchase record",
  about: "record that an account has bought a one-time feed, so that it can read the feed",
  options: {
    account: required(ACCOUNT_OPTION),
    feed: required(FEED_OPTION),
    reference: referenceOption("payment reference; a repeated reference is recorded once"),
  },
  run: async ({ operator, actor, values: { account, feed, reference }, output }) => {
    const input = { account_id: account, feed_id: feed, reference };
    const recorded = await recordPurchase(operator, input, actor);
    if (recorded.isRepeated) {
      output.note("this purchase was already recorded; nothing was added\n");
    }
    return entryAnswer(recorded);
  },
});

const purchaseUndo = databaseCommand({
  words: "purchase undo",
  about:
    "undo the purchase of a one-time feed: end the account's access, and refund what was paid from its balance",
  options: {
    account: required(ACCOUNT_OPTION),
    feed: required(FEED_OPTION),
    reason: REASON_OPTION,
  },
  run: async ({ operator, actor, values: { account, feed, reason }, output }) => {
    const input = { account_id: account, feed_id: feed, reason };
    const undone = await undoPurchase(operator, input, actor);
    if (undone.isRepeated) {
      output.note(
        `account ${undone.entry.account_id}'s purchase of this feed was already undone\n`,
      );
    }
    return entryAnswer(undone);
  },
});

const purchaseList = databaseCommand({
  words: "purchase list",
  about: "list purchases of one-time feeds, newest first, without undone ones",
  options: {
    account: ACCOUNT_OPTION,
    limit: LIMIT_OPTION,
    after: afterCursor(PURCHASES_CURSOR),
  },
  run: async ({ operator, values: { account, limit, after } }) =>
    listAnswer(await listPurchases(operator, { account_id: account, limit, cursor: after }), {
      PURCHASED: (row) => row.purchased_at,
      ACCOUNT: (row) => row.account_id,
      SLUG: { whole: (row) => row.endpoint_path },
      USD: (row) => row.price_usd.rawJSON,
      "PAID FROM": (row) => row.paid_from,
      REFERENCE: { whole: (row) => row.reference },
      FEED: (row) => row.feed_id,
      PURCHASE: (row) => row.purchase_id,
    }),
});

export const PURCHASE_COMMANDS = [purchaseRecord, purchaseUndo, purchaseList];
