/**
 * `promo create`, `promo redeem`, `promo list`: codes that give credits. Decisions 7, 8 and 10, beyond 2.
 *
 * @module
 */
import { changeLedger } from "../accounts/ledger.ts";
import { creditsNumber, creditsText, creditsWords } from "../accounts/money.ts";
import { unreachable } from "../lib/assert.ts";
import { RefusedError, UsageError } from "./command.ts";
import { databaseCommand } from "./database.ts";
import { typed } from "./hints.ts";
import { balanceFull, entryAnswer } from "./ledger_entries.ts";
import { AFTER_OPTION, LIMIT_OPTION, listAnswer } from "./list_page.ts";
import { ACCOUNT_OPTION, count, credits, required, time } from "./options.ts";
import { fields } from "./output.ts";
import { findAccount } from "./references.ts";

const CODE_FORM = /^[\x21-\x7e]{1,64}$/;

const promoCreate = databaseCommand({
  words: "promo create",
  argument: "CODE",
  about: "make a promotion code that gives credits",
  options: {
    credits: required(credits("what each redemption gives")),
    "max-redemptions": count("over all accounts; default any number"),
    expires: time("when it ends; default never"),
  },
  check: ({ argument: code }) => {
    if (!CODE_FORM.test(code)) {
      throw new UsageError("CODE must be 1 to 64 visible ASCII characters");
    }
  },
  run: async ({ database, values, argument: code }) => {
    const { credits: amount, "max-redemptions": most = null, expires = null } = values;
    const made = await database.row("create_promotion", [code, amount, most, expires]);
    if (made === undefined) {
      throw new RefusedError(
        `promotion code "${code}" is there already, with other credits, redemptions or end; choose another code`,
      );
    }
    const { amount_nanos: nanos, ...rest } = made;
    return {
      json: JSON.stringify({ code, credits: creditsNumber(nanos), ...rest }),
      text: fields({
        code,
        gives: creditsWords(nanos),
        redemptions: most === null ? "any number" : `at most ${most}`,
        expires: made.expires_at ?? "never",
      }),
    };
  },
});

const promoRedeem = databaseCommand({
  words: "promo redeem",
  argument: "CODE",
  about: "give an account the credits of a promotion code, once per account",
  options: { account: required(ACCOUNT_OPTION) },
  run: async ({ database, values, argument: code }) => {
    const { account_id: accountId } = await findAccount(database, values.account);
    const outcome = await changeLedger(database, "redeem_promotion", [code, accountId]);
    switch (outcome.kind) {
      case "redeemed":
        return entryAnswer(outcome.entry);
      case "already_redeemed":
        throw new RefusedError(
          `account ${accountId} has redeemed "${code}" already, at ${outcome.entry.created_at}`,
        );
      case "code_unknown":
        throw new RefusedError(`there is no promotion code "${code}"; see ${typed("promo list")}`);
      case "expired":
        throw new RefusedError(`promotion code "${code}" has expired`);
      case "exhausted":
        throw new RefusedError(`promotion code "${code}" has no redemption left`);
      case "balance_full":
        throw balanceFull();
      default:
        return unreachable(outcome);
    }
  },
});

const promoList = databaseCommand({
  words: "promo list",
  about: "list promotion codes, by code",
  options: {
    limit: LIMIT_OPTION,
    after: AFTER_OPTION,
  },
  run: ({ database, values }) =>
    listAnswer(values.limit, {
      read: (limit) => database.rows("list_promotions", [values.after ?? null, limit]),
      cursorOf: (row) => row.code,
      json: ({ code, amount_nanos: nanos, ...rest }) =>
        JSON.stringify({ code, credits: creditsNumber(nanos), ...rest }),
      columns: {
        CODE: { whole: (row) => row.code },
        CREDITS: (row) => creditsText(row.amount_nanos),
        REDEEMED: (row) => row.redemptions,
        "AT MOST": (row) => row.max_redemptions,
        EXPIRES: (row) => row.expires_at,
        CREATED: (row) => row.created_at,
      },
    }),
});

export const PROMOTION_COMMANDS = [promoCreate, promoRedeem, promoList];
