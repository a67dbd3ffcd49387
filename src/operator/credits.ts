/**
 * Credits that an operator grants and revokes. See `src/spec/beyond.md`, section 2.
 *
 * @module
 */
import { Type } from "@sinclair/typebox";
import type { Actor } from "../accounts/actor.ts";
import { changeLedger } from "../accounts/ledger.ts";
import { unreachable } from "../lib/assert.ts";
import { creditsText, creditsWords } from "../money/money.ts";
import { accountReference, entryReference, nanos, reason } from "./common_shapes.ts";
import { balanceTooLarge, referenceTaken, type WrittenEntry, writtenOf } from "./ledger_entry.ts";
import type { InputOf, Operator } from "./operator.ts";
import { findAccount, findOpenAccount } from "./references.ts";
import { Refused } from "./refused.ts";

export const CreditsInput = Type.Object({
  account_id: accountReference,
  credits: nanos("How many."),
  reason,
  reference: Type.Optional(entryReference),
});
type CreditsInput = InputOf<typeof CreditsInput>;

/** Gives an account credits. */
export function grantCredits(operator: Operator, input: CreditsInput, actor: Actor) {
  return append(operator, { kind: "grant", nanos: input.credits, input }, actor);
}

/** Takes credits back. Refused if the account has fewer. */
export function revokeCredits(operator: Operator, input: CreditsInput, actor: Actor) {
  return append(operator, { kind: "revocation", nanos: -input.credits, input }, actor);
}

interface Entry {
  readonly kind: "grant" | "revocation";
  readonly nanos: bigint;
  readonly input: CreditsInput;
}

async function append(
  { database }: Operator,
  { kind, nanos, input }: Entry,
  actor: Actor,
): Promise<WrittenEntry> {
  const { reason, reference = null } = input;
  // What is left of a closed account's credits can still be taken back.
  const find = kind === "grant" ? findOpenAccount : findAccount;
  const { account_id: accountId } = await find(database, input.account_id);
  const entry = {
    account_id: accountId,
    kind,
    amount_nanos: nanos,
    reason,
    reference,
    actor,
  };
  const outcome = await changeLedger(database, "append_ledger_entry", entry);
  switch (outcome.kind) {
    case "appended":
    case "repeated":
      return writtenOf(outcome);
    case "reference_taken":
      throw referenceTaken(outcome.entry);
    case "balance_full":
      throw balanceTooLarge();
    case "balance_short":
      throw new Refused(
        "BALANCE_TOO_LOW",
        `account ${accountId} has ${creditsWords(outcome.balance)}, so ${creditsText(input.credits)} can't be revoked`,
      );
    default:
      return unreachable(outcome);
  }
}
