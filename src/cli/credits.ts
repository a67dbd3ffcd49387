/**
 * `credits grant`, `credits revoke`. Decisions 7, 8 and 10, beyond 2.
 *
 * @module
 */
import { grantCredits, revokeCredits } from "../accounts/ledger.ts";
import { creditsText, creditsWords } from "../accounts/money.ts";
import { unreachable } from "../lib/assert.ts";
import { RefusedError } from "./command.ts";
import { databaseCommand } from "./database.ts";
import {
  balanceFull,
  entryAnswer,
  REASON_OPTION,
  referenceOption,
  referenceTaken,
} from "./ledger_entries.ts";
import { ACCOUNT_OPTION, credits, required } from "./options.ts";
import { accountIdOf, throwUnknownAccount } from "./references.ts";

const creditsGrant = databaseCommand({
  words: "credits grant",
  about: "give an account credits (1 credit = 0.000001 USD)",
  options: {
    account: required(ACCOUNT_OPTION),
    credits: required(credits("how many, with up to 3 decimals")),
    reason: REASON_OPTION,
    reference: referenceOption("names the grant: the same one twice is one entry"),
  },
  run: async ({ database, values }) => {
    const { account, credits: amountNanos, reason, reference } = values;
    const accountId = await accountIdOf(database, account);
    const outcome = await grantCredits(database, { accountId, amountNanos, reason, reference });
    switch (outcome.kind) {
      case "appended":
      case "repeated":
        return entryAnswer(outcome.entry);
      case "reference_taken":
        throw referenceTaken(outcome.entry);
      case "account_unknown":
        return throwUnknownAccount(account);
      case "balance_full":
        throw balanceFull();
      default:
        return unreachable(outcome);
    }
  },
});

const creditsRevoke = databaseCommand({
  words: "credits revoke",
  about: "take credits back from an account; refused if it has fewer",
  options: {
    account: required(ACCOUNT_OPTION),
    credits: required(credits("how many, with up to 3 decimals")),
    reason: REASON_OPTION,
    reference: referenceOption("names the revocation: the same one twice is one entry"),
  },
  run: async ({ database, values }) => {
    const { account, credits: amountNanos, reason, reference } = values;
    const accountId = await accountIdOf(database, account);
    const outcome = await revokeCredits(database, { accountId, amountNanos, reason, reference });
    switch (outcome.kind) {
      case "appended":
      case "repeated":
        return entryAnswer(outcome.entry);
      case "reference_taken":
        throw referenceTaken(outcome.entry);
      case "account_unknown":
        return throwUnknownAccount(account);
      case "balance_short":
        throw new RefusedError(
          `account ${accountId} has ${creditsWords(outcome.balanceNanos)}, so ${creditsText(amountNanos)} can't be taken back`,
        );
      default:
        return unreachable(outcome);
    }
  },
});

export const CREDIT_COMMANDS = [creditsGrant, creditsRevoke];
