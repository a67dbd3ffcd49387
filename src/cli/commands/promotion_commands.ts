/**
 * `promo create`, `promo redeem` and `promo list`: manages codes that grant credits.
 *
 * @module
 */
import { Value } from "@sinclair/typebox/value";
import { inCredits } from "../../money/money.ts";
import {
  createPromotion,
  listPromotions,
  PROMOTION_CODE,
  redeemPromotion,
} from "../../operator/promotions.ts";
import { UsageError } from "../command.ts";
import { databaseCommand } from "../database_command.ts";
import { AFTER_OPTION, LIMIT_OPTION, listAnswer } from "../list_page.ts";
import { ACCOUNT_OPTION, count, credits, required, time } from "../options.ts";
import { fields } from "../output.ts";
import { entryAnswer } from "./ledger_answer.ts";

const promoCreate = databaseCommand({
  words: "promo create",
  argument: "CODE",
  about: "create a promotion code that grants credits",
  options: {
    credits: required(credits("credits granted per redemption")),
    "max-redemptions": count("total number of redemptions; default unlimited"),
    expires: time("when the code expires; default never"),
  },
  check: ({ argument: code }) => {
    if (!Value.Check(PROMOTION_CODE, code)) {
      throw new UsageError("CODE must be 1 to 64 visible ASCII characters");
    }
  },
  run: async ({ operator, actor, values, argument: code, output }) => {
    const { credits, "max-redemptions": most, expires } = values;
    const input = { code, credits, max_redemptions: most, expires_at: expires };
    const { promotion, isRepeated } = await createPromotion(operator, input, actor);
    if (isRepeated) {
      output.note("this promotion code already exists; nothing was added\n");
    }
    return {
      json: JSON.stringify(promotion),
      text: fields({
        code,
        grants: inCredits(promotion.credits),
        redemptions: most === undefined ? "unlimited" : `at most ${most}`,
        expires: promotion.expires_at ?? "never",
      }),
    };
  },
});

const promoRedeem = databaseCommand({
  words: "promo redeem",
  argument: "CODE",
  about: "redeem a promotion code for an account, once per account",
  options: { account: required(ACCOUNT_OPTION) },
  run: async ({ operator, actor, values: { account }, argument: code }) =>
    entryAnswer(await redeemPromotion(operator, { code, account_id: account }, actor)),
});

const promoList = databaseCommand({
  words: "promo list",
  about: "list promotion codes, sorted by code",
  options: {
    limit: LIMIT_OPTION,
    after: AFTER_OPTION,
  },
  run: async ({ operator, values: { limit, after } }) =>
    listAnswer(await listPromotions(operator, { limit, cursor: after }), {
      CODE: { whole: (row) => row.code },
      CREDITS: (row) => row.credits.rawJSON,
      REDEEMED: (row) => row.redemptions,
      LIMIT: (row) => row.max_redemptions,
      EXPIRES: (row) => row.expires_at,
      CREATED: (row) => row.created_at,
    }),
});

export const PROMOTION_COMMANDS = [promoCreate, promoRedeem, promoList];
