/**
 * `credits grant`, `credits revoke`, `promo create`, `promo redeem`, `purchase record`, `purchase undo`:
 * ledger entries. Decisions 7, 8 and 10, beyond 2.
 *
 * @module
 */
import {
  createPromotion,
  grantCredits,
  type LedgerEntry,
  REFERENCE_RESERVED,
  recordPurchase,
  redeemPromotion,
  revokeCredits,
  undoPurchase,
} from "../accounts/ledger.ts";
import { creditsText, creditsWords } from "../accounts/money.ts";
import { unreachable } from "../lib/assert.ts";
import { type Answer, command, type Option, RefusedError, UsageError } from "./command.ts";
import { withDatabase } from "./database.ts";
import {
  balanceFull,
  entryFields,
  entryLines,
  entryText,
  REASON_OPTION,
} from "./ledger_entries.ts";
import { ACCOUNT_OPTION, count, credits, required, text, time } from "./options.ts";
import { fields } from "./output.ts";
import { findAccount, findFeed, throwUnknownAccount } from "./references.ts";

const REFERENCE_LENGTH_MAX = 200;
const CODE_FORM = /^[\x21-\x7e]{1,64}$/;

const FEED_OPTION = required(
  text({ placeholder: "ID", about: "the feed, by id or slug", lengthMax: REFERENCE_LENGTH_MAX }),
);

const creditsGrant = command({
  words: "credits grant",
  about: "give an account credits (1 credit = 0.000001 USD)",
  options: {
    account: required(ACCOUNT_OPTION),
    credits: required(credits("how many, with up to 3 decimals")),
    reason: REASON_OPTION,
    reference: referenceOption("names the grant: the same one twice is one entry"),
  },
  run: ({ config, values }) =>
    withDatabase(config, async (database) => {
      const { account, credits: amountNanos, reason, reference } = values;
      const { account_id: accountId } = await findAccount(database, account);
      const outcome = await grantCredits(database, { accountId, amountNanos, reason, reference });
      switch (outcome.kind) {
        case "appended":
        case "repeated":
          return { json: entryText(outcome.entry), text: entryLines(outcome.entry) };
        case "reference_taken":
          throw referenceTaken(outcome.entry);
        case "account_unknown":
          return throwUnknownAccount(account);
        case "balance_full":
          throw balanceFull();
        default:
          return unreachable(outcome);
      }
    }),
});

const creditsRevoke = command({
  words: "credits revoke",
  about: "take credits back from an account; refused if it has fewer",
  options: {
    account: required(ACCOUNT_OPTION),
    credits: required(credits("how many, with up to 3 decimals")),
    reason: REASON_OPTION,
    reference: referenceOption("names the revocation: the same one twice is one entry"),
  },
  run: ({ config, values }) =>
    withDatabase(config, async (database) => {
      const { account, credits: amountNanos, reason, reference } = values;
      const { account_id: accountId } = await findAccount(database, account);
      const outcome = await revokeCredits(database, { accountId, amountNanos, reason, reference });
      switch (outcome.kind) {
        case "appended":
        case "repeated":
          return { json: entryText(outcome.entry), text: entryLines(outcome.entry) };
        case "reference_taken":
          throw referenceTaken(outcome.entry);
        case "account_unknown":
          return throwUnknownAccount(account);
        case "balance_short":
          throw new RefusedError(
            `account ${accountId} has ${creditsWords(outcome.balanceNanos)}, so ${creditsText(amountNanos)} can't be taken back`,
          );
        default:
          return unreachable(outcome);
      }
    }),
});

const promoCreate = command({
  words: "promo create",
  arguments: ["CODE"],
  about: "make a promotion code that gives credits",
  options: {
    credits: required(credits("what each redemption gives")),
    "max-redemptions": count("over all accounts; default any number"),
    expires: time("when it ends; default never"),
  },
  run: ({ config, values, arguments: [code = ""] }) => {
    if (!CODE_FORM.test(code)) {
      throw new UsageError("CODE must be 1 to 64 visible ASCII characters");
    }
    return withDatabase(config, async (database) => {
      const outcome = await createPromotion(database, {
        code,
        amountNanos: values.credits,
        maxRedemptions: values["max-redemptions"] ?? null,
        expiresAt: values.expires ?? null,
      });
      if (outcome.kind === "code_taken") {
        throw new RefusedError(
          `promotion code "${code}" is there already, with other credits, redemptions or end; choose another code`,
        );
      }
      const { amountNanos, maxRedemptions, expiresAt, createdAt } = outcome.promotion;
      const amount = creditsText(amountNanos);
      return {
        json: `{"code":${JSON.stringify(code)},"credits":${amount},"max_redemptions":${maxRedemptions},"expires_at":${JSON.stringify(expiresAt)},"created_at":"${createdAt}"}`,
        text: fields({
          code,
          gives: creditsWords(amountNanos),
          redemptions: maxRedemptions === null ? "any number" : `at most ${maxRedemptions}`,
          expires: expiresAt ?? "never",
        }),
      };
    });
  },
});

const promoRedeem = command({
  words: "promo redeem",
  arguments: ["CODE"],
  about: "give an account the credits of a promotion code, once per account",
  options: { account: required(ACCOUNT_OPTION) },
  run: ({ config, values, arguments: [code = ""] }) =>
    withDatabase(config, async (database) => {
      const { account_id: accountId } = await findAccount(database, values.account);
      const outcome = await redeemPromotion(database, { code, accountId });
      switch (outcome.kind) {
        case "redeemed":
          return { json: entryText(outcome.entry), text: entryLines(outcome.entry) };
        case "already_redeemed":
          throw new RefusedError(
            `account ${accountId} has redeemed "${code}" already, at ${outcome.entry.createdAt}`,
          );
        case "code_unknown":
          throw new RefusedError(`there is no promotion code "${code}"`);
        case "expired":
          throw new RefusedError(`promotion code "${code}" has expired`);
        case "exhausted":
          throw new RefusedError(`promotion code "${code}" has no redemption left`);
        case "account_unknown":
          return throwUnknownAccount(values.account);
        case "reference_taken":
          throw referenceTaken(outcome.entry);
        case "balance_full":
          throw balanceFull();
        default:
          return unreachable(outcome);
      }
    }),
});

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
      const { feed_id: feedId } = await findFeed(database, values.feed);
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

export const CREDIT_COMMANDS = [
  creditsGrant,
  creditsRevoke,
  promoCreate,
  promoRedeem,
  purchaseRecord,
  purchaseUndo,
];

/** An entry about a feed. */
function feedEntryAnswer(entry: LedgerEntry, feedId: string): Answer {
  return {
    json: entryText(entry, `,"feed_id":"${feedId}"`),
    text: fields({ feed: feedId, ...entryFields(entry) }),
  };
}

function referenceOption(about: string): Option<string, false> {
  const plain = text({ placeholder: "S", about, lengthMax: REFERENCE_LENGTH_MAX });
  return {
    ...plain,
    read(given, name) {
      if (REFERENCE_RESERVED.test(given)) {
        throw new UsageError(
          `${name} must not begin with "${given.split(":")[0]}:", which the gateway's own entries do`,
        );
      }
      return plain.read(given, name);
    },
  };
}

function referenceTaken(entry: LedgerEntry): RefusedError {
  return new RefusedError(
    `reference "${entry.reference}" is taken: a ${entry.kind} of ${creditsWords(entry.amountNanos)} for account ${entry.accountId} has it`,
  );
}
