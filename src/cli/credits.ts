/**
 * `credits grant`, `credits revoke`. Decisions 7, 8 and 10, beyond 2.
 *
 * @module
 */
import { changeLedger } from "../accounts/ledger.ts";
import { creditsText, creditsWords } from "../accounts/money.ts";
import { unreachable } from "../lib/assert.ts";
import { type CommandSpec, type Options, RefusedError } from "./command.ts";
import { databaseCommand } from "./database.ts";
import {
  balanceFull,
  entryAnswer,
  REASON_OPTION,
  referenceOption,
  referenceTaken,
} from "./ledger_entries.ts";
import { ACCOUNT_OPTION, credits, required } from "./options.ts";
import { findAccount } from "./references.ts";

export const CREDIT_COMMANDS = [
  creditCommand("grant", {
    words: "credits grant",
    about: "give an account credits (1 credit = 0.000001 USD)",
  }),
  creditCommand("revocation", {
    words: "credits revoke",
    about: "take credits back from an account; refused if it has fewer",
  }),
];

function creditCommand(
  kind: "grant" | "revocation",
  named: Pick<CommandSpec<Options>, "words" | "about">,
) {
  return databaseCommand({
    ...named,
    options: {
      account: required(ACCOUNT_OPTION),
      credits: required(credits("how many, with up to 3 decimals")),
      reason: REASON_OPTION,
      reference: referenceOption(`names the ${kind}: the same one twice is one entry`),
    },
    run: async ({ database, values, output }) => {
      const { credits: nanos, reason, reference = null } = values;
      const { account_id: accountId } = await findAccount(database, values.account);
      const amount = kind === "grant" ? nanos : -nanos;
      const entry = [accountId, kind, amount, reason, reference] as const;
      const outcome = await changeLedger(database, "append_ledger_entry", entry);
      switch (outcome.kind) {
        case "repeated":
          output.note(`this ${kind} was there already, and nothing was added\n`);
          return entryAnswer(outcome.entry);
        case "appended":
          return entryAnswer(outcome.entry);
        case "reference_taken":
          throw referenceTaken(outcome.entry);
        case "balance_full":
          throw balanceFull();
        case "balance_short":
          throw new RefusedError(
            `account ${accountId} has ${creditsWords(outcome.balance)}, so ${creditsText(nanos)} can't be taken back`,
          );
        default:
          return unreachable(outcome);
      }
    },
  });
}
