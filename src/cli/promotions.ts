/**
 * `promo create`, `promo redeem`, `promo list`: codes that give credits. Decisions 7, 8 and 10, beyond 2.
 *
 * @module
 */
import { createPromotion, redeemPromotion } from "../accounts/ledger.ts";
import { creditsText, creditsWords } from "../accounts/money.ts";
import { unreachable } from "../lib/assert.ts";
import type { Row } from "../postgres/client/query.ts";
import { command, RefusedError, UsageError } from "./command.ts";
import { withDatabase } from "./database.ts";
import { balanceFull, entryLines, entryText, referenceTaken } from "./ledger_entries.ts";
import { AFTER_OPTION, LIMIT_OPTION, readPage } from "./list_page.ts";
import { ACCOUNT_OPTION, count, credits, required, time } from "./options.ts";
import { fields, shown, table } from "./output.ts";
import { findAccount, throwUnknownAccount } from "./references.ts";

const CODE_FORM = /^[\x21-\x7e]{1,64}$/;

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
          throw new RefusedError(`there is no promotion code "${code}"; see feedgate promo list`);
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

const promoList = command({
  words: "promo list",
  about: "list promotion codes, by code",
  options: {
    limit: LIMIT_OPTION,
    after: AFTER_OPTION,
  },
  run: ({ config, values }) =>
    withDatabase(config, async (database) => {
      const { rows, more } = await readPage(values.limit, {
        read: (limit) => database.rows("list_promotions", [values.after ?? null, limit]),
        cursorOf: (row) => row.code,
      });
      return {
        more,
        json: `[${rows.map(promotionText).join(",")}]`,
        text: table(
          ["CODE", "CREDITS", "REDEEMED", "AT MOST", "EXPIRES", "CREATED"],
          rows.map((row) => [
            row.code,
            creditsText(row.amount_nanos),
            String(row.redemptions),
            shown(row.max_redemptions),
            shown(row.expires_at),
            row.created_at,
          ]),
        ),
      };
    }),
});

export const PROMOTION_COMMANDS = [promoCreate, promoRedeem, promoList];

function promotionText({ amount_nanos: nanos, ...row }: Row<"list_promotions">): string {
  const { code, ...rest } = row;
  return `{"code":${JSON.stringify(code)},"credits":${creditsText(nanos)},${JSON.stringify(rest).slice(1)}`;
}
