/**
 * Operator API: credits, promotions, purchases, and the usage log.
 *
 * @module
 */
import { UsageEventShape, usageEventText } from "../../accounts/usage_event.ts";
import type { Reply } from "../../operator/act_once.ts";
import { CreditsInput, grantCredits, revokeCredits } from "../../operator/credits.ts";
import { LedgerEntryShape, type WrittenEntry } from "../../operator/ledger_entry.ts";
import {
  CreatePromotionInput,
  createPromotion,
  ListedPromotionShape,
  ListPromotionsInput,
  listPromotions,
  PromotionShape,
  RedeemPromotionInput,
  redeemPromotion,
} from "../../operator/promotions.ts";
import {
  ListPurchasesInput,
  listPurchases,
  PurchaseShape,
  RecordPurchaseInput,
  recordPurchase,
  UndoPurchaseInput,
  undoPurchase,
} from "../../operator/purchases.ts";
import { ListUsageInput, listUsage, RefundUsageInput, refundUsage } from "../../operator/usage.ts";
import { ACCOUNT_PROBLEMS, defineList, defineRoute, done, made } from "./define_route.ts";
import { ENTRY, PROMOTION, PURCHASE, USAGE_EVENT } from "./operator_examples.ts";

const ENTRY_ANSWER = { shape: LedgerEntryShape, example: ENTRY };
/** 201 for a new entry, 200 for an entry that an earlier call has written. */
const ENTRY_ANSWERS = { 200: ENTRY_ANSWER, 201: ENTRY_ANSWER };
const PROMOTION_ANSWER = { shape: PromotionShape, example: PROMOTION };
const REFERENCE =
  "Repeating a `reference` creates no second entry: it returns 201 the first time and 200 after that. Without a reference, a call with an `Idempotency-Key` gets one derived from it.";

export const CREDIT_ROUTES = [
  defineRoute({
    method: "POST",
    path: "/credits/grants",
    operationId: "grantCredits",
    summary: "Grant credits to an account",
    description: REFERENCE,
    input: CreditsInput,
    example: {
      account_id: "Acme agents",
      credits: 5_000,
      reason: "invoice 4711",
      reference: "order-4711",
    },
    isSafeToRepeat: true,
    answers: ENTRY_ANSWERS,
    problems: [...ACCOUNT_PROBLEMS, "ACCOUNT_CLOSED", "REFERENCE_TAKEN", "BALANCE_TOO_LARGE"],
    act: async ({ operator, actor, reference }, input) =>
      entryReply(await grantCredits(operator, { reference, ...input }, actor)),
  }),
  defineRoute({
    method: "POST",
    path: "/credits/revocations",
    operationId: "revokeCredits",
    summary: "Revoke credits from an account",
    description: `Refused if it has fewer. ${REFERENCE}`,
    input: CreditsInput,
    example: { account_id: "Acme agents", credits: 200, reason: "charged back" },
    isSafeToRepeat: true,
    answers: ENTRY_ANSWERS,
    problems: [...ACCOUNT_PROBLEMS, "REFERENCE_TAKEN", "BALANCE_TOO_LOW"],
    act: async ({ operator, actor, reference }, input) =>
      entryReply(await revokeCredits(operator, { reference, ...input }, actor)),
  }),
  defineList({
    path: "/promotions",
    operationId: "listPromotions",
    summary: "List promotion codes",
    description: "Sorted by code.",
    input: ListPromotionsInput,
    name: "promotions",
    $id: "PromotionList",
    entry: { shape: ListedPromotionShape, example: { ...PROMOTION, redemptions: 3 } },
    problems: [],
    list: listPromotions,
  }),
  defineRoute({
    method: "POST",
    path: "/promotions",
    operationId: "createPromotion",
    summary: "Create a promotion code",
    description:
      "Repeating a code with the same content returns the existing one: 201 the first time, 200 after that.",
    input: CreatePromotionInput,
    example: { code: "WELCOME", credits: 1_000, max_redemptions: 100 },
    isSafeToRepeat: true,
    answers: { 200: PROMOTION_ANSWER, 201: PROMOTION_ANSWER },
    problems: ["PROMOTION_TAKEN"],
    async act({ operator, actor }, input) {
      const { promotion, isRepeated } = await createPromotion(operator, input, actor);
      return isRepeated ? done(promotion) : made(promotion);
    },
  }),
  defineRoute({
    method: "POST",
    path: "/promotions/:code/redemptions",
    operationId: "redeemPromotion",
    summary: "Redeem a promotion code for an account",
    description: "Once per account.",
    input: RedeemPromotionInput,
    names: { code: "code" },
    example: { account_id: "Acme agents" },
    answers: { 201: ENTRY_ANSWER },
    problems: [
      ...ACCOUNT_PROBLEMS,
      "PROMOTION_NOT_FOUND",
      "ACCOUNT_CLOSED",
      "PROMOTION_REDEEMED",
      "PROMOTION_EXPIRED",
      "PROMOTION_EXHAUSTED",
      "BALANCE_TOO_LARGE",
    ],
    act: async ({ operator, actor }, input) =>
      made((await redeemPromotion(operator, input, actor)).entry),
  }),
  defineList({
    path: "/purchases",
    operationId: "listAllPurchases",
    summary: "List purchases of one-time feeds",
    description: "Newest first, without purchases that were undone.",
    input: ListPurchasesInput,
    name: "purchases",
    $id: "OperatorPurchaseList",
    entry: { shape: PurchaseShape, example: PURCHASE },
    problems: ACCOUNT_PROBLEMS,
    list: listPurchases,
  }),
  defineRoute({
    method: "POST",
    path: "/purchases",
    operationId: "recordPurchase",
    summary: "Record a purchase of a one-time feed",
    description: `The account can then read the feed. ${REFERENCE}`,
    input: RecordPurchaseInput,
    example: { account_id: "Acme agents", feed_id: "quakes", reference: "order-4712" },
    isSafeToRepeat: true,
    answers: ENTRY_ANSWERS,
    problems: [
      ...ACCOUNT_PROBLEMS,
      "FEED_NOT_FOUND",
      "FEED_DELETED",
      "FEED_NOT_FOR_SALE",
      "ACCOUNT_CLOSED",
      "PURCHASE_EXISTS",
      "REFERENCE_TAKEN",
    ],
    act: async ({ operator, actor, reference }, input) =>
      entryReply(await recordPurchase(operator, { reference, ...input }, actor)),
  }),
  defineRoute({
    method: "POST",
    path: "/purchases/undo",
    operationId: "undoPurchase",
    summary: "Undo a purchase",
    description:
      "The account can no longer read the feed. A price paid from the balance is refunded.",
    input: UndoPurchaseInput,
    example: { account_id: "Acme agents", feed_id: "quakes", reason: "charged back" },
    isSafeToRepeat: true,
    answers: ENTRY_ANSWERS,
    problems: [...ACCOUNT_PROBLEMS, "FEED_NOT_FOUND", "PURCHASE_NOT_FOUND", "BALANCE_TOO_LARGE"],
    act: async ({ operator, actor }, input) =>
      entryReply(await undoPurchase(operator, input, actor)),
  }),
  defineList({
    path: "/usage",
    operationId: "listUsageOf",
    summary: "List the usage log of an account",
    description: "Newest first.",
    input: ListUsageInput,
    name: "usage",
    $id: "UsageList",
    entry: { shape: UsageEventShape, example: USAGE_EVENT },
    problems: [...ACCOUNT_PROBLEMS, "RANGE_INVALID"],
    list: listUsage,
    textOf: usageEventText,
  }),
  defineRoute({
    method: "POST",
    path: "/usage/:usage_id/refund",
    operationId: "refundUsage",
    summary: "Refund a call",
    description: "A call is refunded once: 201 the first time, 200 after that.",
    input: RefundUsageInput,
    names: { usage_id: "usage_id" },
    example: { reason: "the data was wrong" },
    isSafeToRepeat: true,
    answers: ENTRY_ANSWERS,
    problems: ["USAGE_NOT_FOUND", "NOTHING_CHARGED", "BALANCE_TOO_LARGE"],
    act: async ({ operator, actor }, input) =>
      entryReply(await refundUsage(operator, input, actor)),
  }),
];

function entryReply({ entry, isRepeated }: WrittenEntry): Reply {
  return isRepeated ? done(entry) : made(entry);
}
