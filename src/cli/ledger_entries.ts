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

const REASON_LENGTH_MAX = 500;
const REFERENCE_LENGTH_MAX = 200;

/** The option of every command that writes an entry for a reason. */
export const REASON_OPTION = required(
  text({ placeholder: "S", about: "kept in the ledger", lengthMax: REASON_LENGTH_MAX }),
);

/** The option that names an entry, so that it can be sent again. */
export function referenceOption(about: string): Option<string, false> {
  const plain = text({ placeholder: "S", about, lengthMax: REFERENCE_LENGTH_MAX });
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

/** What an entry is about, as further members of the JSON object and of the text. */
export interface EntrySubject {
  readonly json: Readonly<Record<string, string>>;
  readonly fields: Readonly<Record<string, string>>;
}

export function entryAnswer(entry: LedgerEntry, about?: EntrySubject): Answer {
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
      ...about?.json,
    }),
    text: fields({
      ...about?.fields,
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
