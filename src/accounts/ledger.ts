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
import type { Database, Parameters, Row } from "../postgres/client/database.ts";

/** An entry as it was written; it never changes. */
export type LedgerEntry = Row<"find_ledger_entry">;

/**
 * An entry that the gateway writes by itself, or under an `Idempotency-Key`, has a reference of this form. No caller may
 * take one.
 */
export const REFERENCE_RESERVED =
  /^(?:(?:refund|promotion|purchase_undo|payout_undo|charges|idempotency_key|x402):|stripe:cs_)/;

/** Outcomes with an entry, and without one. */
type Outcome<WithEntry extends string, Without extends string> =
  | { readonly kind: WithEntry; readonly entry: LedgerEntry }
  | { readonly kind: Without };

/** What may come of each change. */
interface Outcomes {
  /**
   * A grant, or a revocation with a negative amount. A reference names the entry over all accounts, so the same call
   * may be sent again (`repeated`). If another entry has the reference, `entry` is that one (`reference_taken`).
   */
  append_ledger_entry:
    | Outcome<"appended" | "repeated" | "reference_taken", "balance_full">
    /** The account has less than is to be taken. */
    | { readonly kind: "balance_short"; readonly balance: bigint };
  /** What a read was charged is given back, now or before: once per usage event. */
  refund_event: Outcome<"refunded" | "repeated", "usage_unknown" | "not_charged" | "balance_full">;
  /** An account gets the credits of a promotion code, once. */
  redeem_promotion: Outcome<
    "redeemed" | "already_redeemed",
    "code_unknown" | "expired" | "exhausted" | "balance_full"
  >;
  /**
   * An account has bought a one-time feed, now or before. `already_purchased`: under another reference. `undone`: so
   * was the purchase of this reference. `bought_from_balance`: by the account itself.
   */
  record_purchase: Outcome<
    "purchased" | "repeated" | "already_purchased" | "undone" | "reference_taken",
    "not_one_time" | "own_feed" | "bought_from_balance"
  >;
  /** A purchase is taken back, now or before. What was paid from the balance is given back. */
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
  // Each statement names only the outcomes of its own type.
  return { kind, entry, balance } as unknown as Outcomes[Change];
}
