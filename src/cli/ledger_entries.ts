/**
 * A ledger entry as commands take and print it. Decisions 10.
 *
 * @module
 */
import { type LedgerEntry, REFERENCE_RESERVED } from "../accounts/ledger.ts";
import { creditsNumber, creditsText, creditsWords } from "../accounts/money.ts";
import { type Answer, type Option, RefusedError, UsageError } from "./command.ts";
import { required, text } from "./options.ts";
import { fields } from "./output.ts";

/** The option of every command that writes an entry for a reason. */
export const REASON_OPTION = required(text("kept in the ledger", { lengthMax: 500 }));

/** The option that names an entry, so that it can be sent again. */
export function referenceOption(about: string): Option<string> {
  const plain = text(about);
  return {
    ...plain,
    read(given, name) {
      if (REFERENCE_RESERVED.test(given)) {
        throw new UsageError(
          `${name} must not begin with "${given.split(":")[0]}:", which the gateway's own entries do`,
        );
      }
      return plain.read(given, name);
    },
  };
}

export function referenceTaken(entry: LedgerEntry): RefusedError {
  return new RefusedError(
    `reference "${entry.reference}" is taken: a ${entry.kind} of ${creditsWords(entry.amount_nanos)} for account ${entry.account_id} has it`,
  );
}

export function balanceFull(): RefusedError {
  return new RefusedError("the balance would be larger than the ledger can hold");
}

/** What an entry is about, apart from the account. */
interface Subject {
  readonly feed_id?: string;
  readonly usage_id?: string;
}

export function entryAnswer(entry: LedgerEntry, subject: Subject = {}): Answer {
  const { amount_nanos: amount, balance_before_nanos: before, balance_after_nanos: after } = entry;
  return {
    json: JSON.stringify({
      entry_id: Number(entry.entry_id),
      account_id: entry.account_id,
      kind: entry.kind,
      credits: creditsNumber(amount),
      balance_before_credits: creditsNumber(before),
      balance_after_credits: creditsNumber(after),
      reason: entry.reason,
      reference: entry.reference,
      created_at: entry.created_at,
      ...subject,
    }),
    text: fields({
      feed: subject.feed_id,
      "usage event": subject.usage_id,
      entry: `${entry.entry_id} (${entry.kind})`,
      account: entry.account_id,
      credits: creditsText(amount),
      balance: `${creditsText(before)} before, ${creditsText(after)} after`,
      reason: entry.reason,
      reference: entry.reference,
      written: entry.created_at,
    }),
  };
}
