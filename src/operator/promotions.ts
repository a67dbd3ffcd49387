/**
 * Promotions: codes that grant credits, once per account. See `src/spec/beyond.md`, section 2.
 *
 * @module
 */
import { type Static, Type } from "@sinclair/typebox";
import type { Actor } from "../accounts/actor.ts";
import { changeLedger } from "../accounts/ledger.ts";
import { unreachable } from "../lib/assert.ts";
import { Expected, nullable } from "../lib/typebox.ts";
import { creditsNumber } from "../money/money.ts";
import { count, exact, time } from "../shapes.ts";
import { accountReference, COUNT_MAX, nanos } from "./common_shapes.ts";
import { PAGE_INPUT, type Page, readPage } from "./keyset_page.ts";
import { balanceTooLarge, type WrittenEntry, writtenOf } from "./ledger_entry.ts";
import type { InputOf, Operator } from "./operator.ts";
import { findOpenAccount } from "./references.ts";
import { Refused } from "./refused.ts";

/** Visible ASCII, so that a code can be read out and typed. */
export const PROMOTION_CODE = Type.String({
  pattern: "^[\\x21-\\x7e]{1,64}$",
  [Expected]: "1 to 64 visible ASCII characters",
  description: "1 to 64 visible ASCII characters.",
  examples: ["WELCOME"],
});

export const PromotionShape = Type.Object(
  {
    code: PROMOTION_CODE,
    credits: exact("Credits granted per redemption."),
    max_redemptions: nullable(count("Total number of redemptions; null: unlimited.")),
    expires_at: nullable(time("When it expires; null: never.")),
    created_at: time("When it was created."),
  },
  { $id: "Promotion", description: "A promotion code." },
);
export type PromotionOutcome = Static<typeof PromotionShape>;

export const ListedPromotionShape = Type.Object(
  { ...PromotionShape.properties, redemptions: count("So far.") },
  { $id: "ListedPromotion", description: "A promotion code, and how often it was redeemed." },
);
export type ListedPromotionOutcome = Static<typeof ListedPromotionShape>;

export const CreatePromotionInput = Type.Object({
  code: PROMOTION_CODE,
  credits: nanos("Credits granted per redemption."),
  max_redemptions: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: COUNT_MAX,
      description: "Total number of redemptions; default unlimited.",
    }),
  ),
  expires_at: Type.Optional(time("When it expires; default never.")),
});

/** Makes a code. The same code with the same content is the one that is there. */
export async function createPromotion(
  { database }: Operator,
  input: InputOf<typeof CreatePromotionInput>,
  actor: Actor,
): Promise<{ readonly promotion: PromotionOutcome; readonly isRepeated: boolean }> {
  const { code, credits, max_redemptions: most = null, expires_at: expires = null } = input;
  const row = await database.row("create_promotion", {
    code,
    amount_nanos: credits,
    max_redemptions: most,
    expires_at: expires,
    actor,
  });
  if (row === undefined) {
    throw new Refused(
      "PROMOTION_TAKEN",
      `promotion code "${code}" already exists with other credits, redemptions or expiry; choose another code`,
    );
  }
  const { amount_nanos: nanos, is_new: isNew, ...rest } = row;
  return { promotion: { code, credits: creditsNumber(nanos), ...rest }, isRepeated: !isNew };
}

export const RedeemPromotionInput = Type.Object({
  code: PROMOTION_CODE,
  account_id: accountReference,
});

export async function redeemPromotion(
  { database }: Operator,
  { code, account_id: account }: InputOf<typeof RedeemPromotionInput>,
  actor: Actor,
): Promise<WrittenEntry> {
  const { account_id: accountId } = await findOpenAccount(database, account);
  const outcome = await changeLedger(database, "redeem_promotion", {
    code,
    account_id: accountId,
    actor,
  });
  switch (outcome.kind) {
    case "redeemed":
      return writtenOf(outcome);
    case "already_redeemed":
      throw new Refused(
        "PROMOTION_REDEEMED",
        `account ${accountId} already redeemed "${code}" at ${outcome.entry.created_at}`,
      );
    case "code_unknown":
      throw new Refused("PROMOTION_NOT_FOUND", `there is no promotion code "${code}"`);
    case "expired":
      throw new Refused("PROMOTION_EXPIRED", `promotion code "${code}" has expired`);
    case "exhausted":
      throw new Refused("PROMOTION_EXHAUSTED", `promotion code "${code}" has no redemptions left`);
    case "balance_full":
      throw balanceTooLarge();
    default:
      return unreachable(outcome);
  }
}

export const ListPromotionsInput = Type.Object(PAGE_INPUT);

/** By code, which is the cursor. */
export function listPromotions(
  { database }: Operator,
  { limit, cursor = "" }: InputOf<typeof ListPromotionsInput>,
): Promise<Page<ListedPromotionOutcome>> {
  return readPage(limit, {
    read: (rowsMax) => database.rows("list_promotions", { after_code: cursor, limit: rowsMax }),
    cursorOf: (row) => row.code,
    entryOf: ({ code, amount_nanos: nanos, ...rest }) => ({
      code,
      credits: creditsNumber(nanos),
      ...rest,
    }),
  });
}
