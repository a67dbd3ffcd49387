/**
 * The ledger of credit: what raises or lowers a balance, and what an account has bought.
 *
 * Each change is one statement, which locks the account first. What it returns is a named outcome, with the entry
 * as it was written the first time. Charges are not entries: the usage log is their ledger. Interface 8.5,
 * decisions 7, 8 and 10.
 *
 * @module
 */

import { present } from "../lib/assert.ts";
import type { Database, Row } from "../postgres/client/query.ts";

/** An entry as it was written; it never changes. */
export type LedgerEntry = Row<"find_ledger_entry">;

/** An entry that the gateway writes by itself has a reference of this form; no caller may take one. */
export const REFERENCE_RESERVED = /^(?:refund|promotion|purchase_undo|charges):/;

/** What came of a change, with its entry if there is one. */
type Outcome<WithEntry extends string, Without extends string> =
  | { readonly kind: WithEntry; readonly entry: LedgerEntry }
  | { readonly kind: Without };

export interface CreditChange {
  readonly kind: "grant" | "revocation";
  readonly accountId: string;
  /** Above 0. */
  readonly amountNanos: bigint;
  readonly reason: string;
  /** Names it over all accounts, so that it can be sent again. */
  readonly reference: string | undefined;
}

export type CreditOutcome =
  /** Written now, or the same one before: a reference is used once. Or another entry has the reference. */
  | Outcome<"appended" | "repeated" | "reference_taken", "balance_full">
  /** The account has less; nothing was taken. */
  | { readonly kind: "balance_short"; readonly balanceNanos: bigint };

/** Gives an account credits, or takes them back. */
export async function changeCredits(
  database: Database,
  change: CreditChange,
): Promise<CreditOutcome> {
  const { kind, accountId, amountNanos, reason, reference = null } = change;
  const amount = kind === "grant" ? amountNanos : -amountNanos;
  const parameters = [accountId, kind, amount, reason, reference] as const;
  const row = present(await database.row("append_ledger_entry", parameters));
  if (row.outcome === "balance_short") {
    return { kind: "balance_short", balanceNanos: row.balance };
  }
  return outcomeOf<CreditOutcome>(database, row);
}

/** Given back now, or before. */
export type RefundOutcome = Outcome<
  "refunded" | "repeated",
  "usage_unknown" | "not_charged" | "balance_full"
>;

/** Gives back what a read was charged: once per usage event. */
export async function refundEvent(
  database: Database,
  refund: { readonly usageId: string; readonly reason: string },
): Promise<RefundOutcome> {
  const { usageId, reason } = refund;
  return outcomeOf(database, await database.row("refund_event", [usageId, reason]));
}

export interface Promotion {
  readonly code: string;
  readonly amountNanos: bigint;
  /** Null: any number. */
  readonly maxRedemptions: number | null;
  /** RFC 3339; null: never. */
  readonly expiresAt: string | null;
}

/** Makes a promotion code, or finds the same one. Undefined if the code has other content. */
export function createPromotion(
  database: Database,
  { code, amountNanos, maxRedemptions, expiresAt }: Promotion,
): Promise<Row<"create_promotion"> | undefined> {
  return database.row("create_promotion", [code, amountNanos, maxRedemptions, expiresAt]);
}

export type RedemptionOutcome = Outcome<
  "redeemed" | "already_redeemed",
  "code_unknown" | "expired" | "exhausted" | "balance_full"
>;

/** Gives an account the credits of a promotion code: once per account. */
export async function redeemPromotion(
  database: Database,
  redemption: { readonly code: string; readonly accountId: string },
): Promise<RedemptionOutcome> {
  const { code, accountId } = redemption;
  return outcomeOf(database, await database.row("redeem_promotion", [code, accountId]));
}

/**
 * Written now (`purchased`), or the same one before; bought before under another reference; or the reference is
 * that of a purchase that was undone, or of another entry.
 */
export type PurchaseOutcome = Outcome<
  "purchased" | "repeated" | "already_purchased" | "undone" | "reference_taken",
  "not_one_time"
>;

export interface Purchase {
  readonly accountId: string;
  readonly feedId: string;
  /** Of the payment, which is made elsewhere. */
  readonly reference: string | undefined;
}

/** Notes that an account has bought a one-time feed. */
export async function recordPurchase(
  database: Database,
  purchase: Purchase,
): Promise<PurchaseOutcome> {
  const { accountId, feedId, reference = null } = purchase;
  const row = await database.row("record_purchase", [accountId, feedId, reference]);
  return outcomeOf(database, row);
}

/** Taken back now, or before. */
export type UndoOutcome = Outcome<"undone" | "repeated", "not_purchased">;

/** Takes back that an account has bought a one-time feed. */
export async function undoPurchase(
  database: Database,
  undo: { readonly accountId: string; readonly feedId: string; readonly reason: string },
): Promise<UndoOutcome> {
  const { accountId, feedId, reason } = undo;
  return outcomeOf(database, await database.row("undo_purchase", [accountId, feedId, reason]));
}

/** The outcome that a ledger function names, with its entry if it has one. */
async function outcomeOf<Named extends { readonly kind: string }>(
  database: Database,
  row: Pick<Row<"refund_event">, "outcome" | "entry_id"> | undefined,
): Promise<Named> {
  const { outcome: kind, entry_id: entryId } = present(row);
  const entry = entryId === null ? undefined : await database.row("find_ledger_entry", [entryId]);
  // Each function names only the outcomes of its own type.
  return { kind, entry } as unknown as Named;
}
