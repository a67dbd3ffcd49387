/**
 * A ledger entry as commands take and print it. Decisions 10.
 *
 * @module
 */
import { type LedgerEntry, REFERENCE_RESERVED } from "../accounts/ledger.ts";
import { creditsText, creditsWords } from "../accounts/money.ts";
import { type Option, RefusedError, UsageError } from "./command.ts";
import { required, text } from "./options.ts";
import { fields, shown } from "./output.ts";

const REASON_LENGTH_MAX = 500;
export const REFERENCE_LENGTH_MAX = 200;

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
    `reference "${entry.reference}" is taken: a ${entry.kind} of ${creditsWords(entry.amountNanos)} for account ${entry.accountId} has it`,
  );
}

export function balanceFull(): RefusedError {
  return new RefusedError("the balance would be larger than the ledger can hold");
}

/** A JSON object with money as exact numbers; `more` is further members' text. */
export function entryText(entry: LedgerEntry, more = ""): string {
  return `{"entry_id":${entry.entryId},"account_id":"${entry.accountId}","kind":"${entry.kind}","credits":${creditsText(entry.amountNanos)},"balance_before_credits":${creditsText(entry.balanceBeforeNanos)},"balance_after_credits":${creditsText(entry.balanceAfterNanos)},"reason":${JSON.stringify(entry.reason)},"reference":${JSON.stringify(entry.reference)},"created_at":"${entry.createdAt}"${more}}`;
}

export function entryFields(entry: LedgerEntry): Record<string, string> {
  const { balanceBeforeNanos: before, balanceAfterNanos: after } = entry;
  return {
    entry: `${entry.entryId} (${entry.kind})`,
    account: entry.accountId,
    credits: creditsText(entry.amountNanos),
    balance: `${creditsText(before)} before, ${creditsText(after)} after`,
    reason: shown(entry.reason),
    reference: shown(entry.reference),
    written: entry.createdAt,
  };
}

export function entryLines(entry: LedgerEntry): string {
  return fields(entryFields(entry));
}
