/**
 * The credit ledger: everything that raises or lowers a balance, and the purchases of an account.
 *
 * Each change is one statement, which locks the account first. It returns a named outcome, with the entry as it was
 * first written. Charges are not entries, because the usage log is their ledger. See `src/spec/decisions.md`, section
 * 7.
 *
 * @module
 */

import { present } from "../lib/assert.ts";
import type { Database, Parameters, Row } from "../postgres/client/database.ts";

/** An entry as it was written. It never changes. */
export type LedgerEntry = Row<"find_ledger_entry">;

/**
 * References of this form are reserved for entries that the gateway writes by itself, or under an `Idempotency-Key`.
 * Callers can't use them.
 */
export const REFERENCE_RESERVED =
  /^(?:(?:refund|promotion|purchase_undo|payout_undo|charges|idempotency_key|x402):|stripe:cs_)/;

/** Outcomes with an entry, and without one. */
type Outcome<WithEntry extends string, Without extends string> =
  | { readonly kind: WithEntry; readonly entry: LedgerEntry }
  | { readonly kind: Without };

/** The possible outcomes of each change. */
interface Outcomes {
  /**
   * A grant, or a revocation with a negative amount. A reference identifies the entry across all accounts, so the same
   * call may be repeated (`repeated`). If another entry has the reference, `entry` is that one (`reference_taken`).
   */
  append_ledger_entry:
    | Outcome<"appended" | "repeated" | "reference_taken", "balance_full">
    /** The balance is less than the amount to be taken. */
    | { readonly kind: "balance_short"; readonly balance: bigint };
  /** Returns what a read was charged, once per usage event. `repeated`: it was returned before. */
  refund_event: Outcome<"refunded" | "repeated", "usage_unknown" | "not_charged" | "balance_full">;
  /** Grants an account the credits of a promotion code, once. */
  redeem_promotion: Outcome<
    "redeemed" | "already_redeemed",
    "code_unknown" | "expired" | "exhausted" | "balance_full"
  >;
  /**
   * Records the purchase of a one-time feed. `repeated`: it was recorded before. `already_purchased`: under another
   * reference. `undone`: the purchase with this reference was undone. `bought_from_balance`: by the account itself.
   */
  record_purchase: Outcome<
    "purchased" | "repeated" | "already_purchased" | "undone" | "reference_taken",
    "not_one_time" | "own_feed" | "bought_from_balance"
  >;
  /** Undoes a purchase, and returns what was paid from the balance. `repeated`: it was undone before. */
  undo_purchase: Outcome<"undone" | "repeated", "not_purchased" | "balance_full">;
}

/** Runs the statement of a change. */
export async function changeLedger<Change extends keyof Outcomes>(
  database: Database,
  change: Change,
  parameters: Parameters<Change>,
): Promise<Outcomes[Change]> {
  const row: Row<keyof Outcomes> = present(await database.row(change, parameters));
  const { outcome: kind, entry_id: entryId } = row;
  const entry =
    entryId === null ? undefined : await database.row("find_ledger_entry", { entry_id: entryId });
  const balance = "balance" in row ? row.balance : undefined;
  // Each statement returns only the outcomes of its own type.
  return { kind, entry, balance } as unknown as Outcomes[Change];
}
