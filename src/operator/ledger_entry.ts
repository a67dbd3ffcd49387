/**
 * A ledger entry as the outcome of the operations that write one. See `src/spec/beyond.md`, section 2.
 *
 * @module
 */
import { type Static, Type } from "@sinclair/typebox";
import type { LedgerEntry } from "../accounts/ledger.ts";
import { nullable } from "../lib/typebox.ts";
import { creditsNumber, creditsWords } from "../money/money.ts";
import { exact, time, uuid } from "../shapes.ts";
import { Refused } from "./refused.ts";

export const LedgerEntryShape = Type.Object(
  {
    entry_id: Type.Integer({ description: "Increases with time." }),
    account_id: uuid("The account whose balance it changed."),
    kind: Type.String({ description: "grant, revocation, promotion, purchase, refund, …" }),
    credits: exact("The change of the balance; negative if credits were revoked."),
    balance_before_credits: exact("The balance before the entry."),
    balance_after_credits: exact("The balance after the entry."),
    reason: Type.String({ description: "The reason for the entry." }),
    reference: nullable(Type.String({ description: "Unique across all accounts." })),
    created_at: time("When it was created."),
    feed_id: Type.Optional(uuid("The feed that was bought.")),
    usage_id: Type.Optional(uuid("The usage event that was refunded.")),
  },
  { $id: "LedgerEntry", description: "An entry of the ledger. It never changes." },
);
export type LedgerEntryOutcome = Static<typeof LedgerEntryShape>;

/** An entry, and whether an earlier call had written it. */
export interface WrittenEntry {
  readonly entry: LedgerEntryOutcome;
  readonly isRepeated: boolean;
}

/** What an entry is about, apart from the account. */
type Subject = Pick<LedgerEntryOutcome, "feed_id" | "usage_id">;

/** The entry that a change of the ledger has written, now or by an earlier call (`repeated`). */
export function writtenOf(
  { kind, entry }: { readonly kind: string; readonly entry: LedgerEntry },
  subject: Subject = {},
): WrittenEntry {
  return { entry: entryOf(entry, subject), isRepeated: kind === "repeated" };
}

function entryOf(entry: LedgerEntry, subject: Subject): LedgerEntryOutcome {
  return {
    entry_id: Number(entry.entry_id),
    account_id: entry.account_id,
    kind: entry.kind,
    credits: creditsNumber(entry.amount_nanos),
    balance_before_credits: creditsNumber(entry.balance_before_nanos),
    balance_after_credits: creditsNumber(entry.balance_after_nanos),
    reason: entry.reason,
    reference: entry.reference,
    created_at: entry.created_at,
    ...subject,
  };
}

export function referenceTaken(entry: LedgerEntry): Refused {
  return new Refused(
    "REFERENCE_TAKEN",
    `reference "${entry.reference}" is already used by a ${entry.kind} of ${creditsWords(entry.amount_nanos)} for account ${entry.account_id}`,
  );
}

export function balanceTooLarge(): Refused {
  return new Refused("BALANCE_TOO_LARGE", "the balance would exceed the maximum of the ledger");
}
