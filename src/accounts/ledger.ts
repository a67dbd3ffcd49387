/**
 * The ledger of credit: what raises or lowers a balance, and what an account has bought.
 *
 * Each function is one statement, which locks the account first where it writes of one; what it returns
 * is a named outcome, with the entry as it was written the first time. Charges are not entries: the usage
 * log is their ledger. Interface 8.5, decisions 7, 8 and 10.
 *
 * @module
 */

import { present } from "../lib/assert.ts";
import type { Database, Row } from "../postgres/client/query.ts";

/** An entry as it was written; it never changes. */
export interface LedgerEntry {
  readonly entryId: bigint;
  readonly accountId: string;
  readonly kind: string;
  readonly amountNanos: bigint;
  readonly balanceBeforeNanos: bigint;
  readonly balanceAfterNanos: bigint;
  readonly reason: string;
  readonly reference: string | null;
  /** RFC 3339, UTC. */
  readonly createdAt: string;
}

/** An entry that the gateway writes by itself has a reference of this form; no caller may take one. */
export const REFERENCE_RESERVED = /^(?:refund|promotion|purchase_undo|charges):/;

export type GrantOutcome =
  /** Written now, or the same one before: a reference is used once. */
  | { readonly kind: "appended" | "repeated"; readonly entry: LedgerEntry }
  | { readonly kind: "reference_taken"; readonly entry: LedgerEntry }
  | { readonly kind: "account_unknown" | "balance_full" };

/** A grant or a revocation. */
export interface Grant {
  readonly accountId: string;
  /** Above 0. */
  readonly amountNanos: bigint;
  readonly reason: string;
  /** Names it over all accounts, so that it can be sent again. */
  readonly reference: string | undefined;
}

/** Gives an account credits. */
export async function grantCredits(database: Database, grant: Grant): Promise<GrantOutcome> {
  const { accountId, amountNanos, reason, reference = null } = grant;
  const row = await database.row("grant_credits", [accountId, amountNanos, reason, reference]);
  return outcomeOf<GrantOutcome>(row);
}

export type RevocationOutcome =
  | { readonly kind: "appended" | "repeated" | "reference_taken"; readonly entry: LedgerEntry }
  | { readonly kind: "account_unknown" }
  /** The account has less; nothing was taken. */
  | { readonly kind: "balance_short"; readonly balanceNanos: bigint };

/** Takes credits back from an account. */
export async function revokeCredits(
  database: Database,
  revocation: Grant,
): Promise<RevocationOutcome> {
  const { accountId, amountNanos, reason, reference = null } = revocation;
  const row = await database.row("revoke_credits", [accountId, amountNanos, reason, reference]);
  if (row?.outcome === "balance_short") {
    return { kind: "balance_short", balanceNanos: row.balance ?? 0n };
  }
  return outcomeOf<RevocationOutcome>(row);
}

export type RefundOutcome =
  /** Given back now, or before. */
  | { readonly kind: "refunded" | "repeated"; readonly entry: LedgerEntry }
  | { readonly kind: "usage_unknown" | "not_charged" | "balance_full" };

/** Gives back what a read was charged: once per usage event. */
export async function refundEvent(
  database: Database,
  refund: { readonly usageId: string; readonly reason: string },
): Promise<RefundOutcome> {
  const { usageId, reason } = refund;
  return outcomeOf<RefundOutcome>(await database.row("refund_event", [usageId, reason]));
}

export interface Promotion {
  readonly code: string;
  readonly amountNanos: bigint;
  /** Null: any number. */
  readonly maxRedemptions: number | null;
  /** RFC 3339; null: never. */
  readonly expiresAt: string | null;
}

export type PromotionOutcome =
  /** Made now, or the same one before. */
  | { readonly kind: "created"; readonly promotion: Promotion & { readonly createdAt: string } }
  | { readonly kind: "code_taken" };

/** Makes a promotion code. */
export async function createPromotion(
  database: Database,
  promotion: Promotion,
): Promise<PromotionOutcome> {
  const { code, amountNanos, maxRedemptions, expiresAt } = promotion;
  const row = await database.row("create_promotion", [
    code,
    amountNanos,
    maxRedemptions,
    expiresAt,
  ]);
  if (row === undefined) throw new Error("create_promotion returned no row");
  if (!row.is_same) return { kind: "code_taken" };
  return {
    kind: "created",
    promotion: {
      code: row.code,
      amountNanos: row.amount_nanos,
      maxRedemptions: row.max_redemptions,
      expiresAt: row.expires_at,
      createdAt: row.created_at,
    },
  };
}

export type RedemptionOutcome =
  | { readonly kind: "redeemed"; readonly entry: LedgerEntry }
  | { readonly kind: "already_redeemed" | "reference_taken"; readonly entry: LedgerEntry }
  | {
      readonly kind: "account_unknown" | "code_unknown" | "expired" | "exhausted" | "balance_full";
    };

/** Gives an account the credits of a promotion code: once per account. */
export async function redeemPromotion(
  database: Database,
  redemption: { readonly code: string; readonly accountId: string },
): Promise<RedemptionOutcome> {
  const { code, accountId } = redemption;
  return outcomeOf<RedemptionOutcome>(await database.row("redeem_promotion", [code, accountId]));
}

export type PurchaseOutcome =
  /** Written now, or the same one before. */
  | { readonly kind: "purchased" | "repeated"; readonly entry: LedgerEntry }
  /** Bought before, under another reference; or the reference is that of a purchase that was undone. */
  | { readonly kind: "already_purchased" | "undone"; readonly entry: LedgerEntry }
  /** The reference is another entry's. */
  | { readonly kind: "reference_taken"; readonly entry: LedgerEntry }
  | { readonly kind: "account_unknown" | "feed_unknown" | "not_one_time" };

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
  return outcomeOf<PurchaseOutcome>(row);
}

export type UndoOutcome =
  /** Taken back now, or before. */
  | { readonly kind: "undone" | "repeated"; readonly entry: LedgerEntry }
  | { readonly kind: "account_unknown" | "not_purchased" };

/** Takes back that an account has bought a one-time feed. */
export async function undoPurchase(
  database: Database,
  undo: { readonly accountId: string; readonly feedId: string; readonly reason: string },
): Promise<UndoOutcome> {
  const { accountId, feedId, reason } = undo;
  return outcomeOf<UndoOutcome>(await database.row("undo_purchase", [accountId, feedId, reason]));
}

type EntryRow = Row<
  | "grant_credits"
  | "revoke_credits"
  | "refund_event"
  | "redeem_promotion"
  | "record_purchase"
  | "undo_purchase"
>;

/** The outcome that a ledger function names, with its entry where it has one. */
function outcomeOf<Outcome extends { readonly kind: string }>(row: EntryRow | undefined): Outcome {
  if (row === undefined) throw new Error("a ledger function returned no row");
  const { outcome: kind } = row;
  const entry = row.entry_id === null ? {} : { entry: entryOf(row) };
  // Each function names only the outcomes of its own type.
  return { kind, ...entry } as unknown as Outcome;
}

function entryOf(row: EntryRow): LedgerEntry {
  return {
    entryId: present(row.entry_id),
    accountId: present(row.account_id),
    kind: present(row.kind),
    amountNanos: present(row.amount_nanos),
    balanceBeforeNanos: present(row.balance_before_nanos),
    balanceAfterNanos: present(row.balance_after_nanos),
    reason: present(row.reason),
    reference: row.reference,
    createdAt: present(row.created_at),
  };
}
