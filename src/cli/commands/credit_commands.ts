/**
 * `credits grant` and `credits revoke`.
 *
 * @module
 */
import { grantCredits, revokeCredits } from "../../operator/credits.ts";
import { UsageError } from "../command.ts";
import { databaseCommand } from "../database_command.ts";
import { ACCOUNT_OPTION, credits, eitherOf, required, usd } from "../options.ts";
import { entryAnswer, REASON_OPTION, referenceOption } from "./ledger_answer.ts";

export const CREDIT_COMMANDS = [
  creditCommand(grantCredits, {
    words: "credits grant",
    about: "grant credits to an account (1 credit = 0.000001 USD)",
    noun: "grant",
  }),
  creditCommand(revokeCredits, {
    words: "credits revoke",
    about: "revoke credits from an account; refused if it has fewer",
    noun: "revocation",
  }),
];

interface Texts {
  readonly words: string;
  readonly about: string;
  readonly noun: string;
}

function creditCommand(act: typeof grantCredits, { words, about, noun }: Texts) {
  return databaseCommand({
    words,
    about,
    options: {
      account: required(ACCOUNT_OPTION),
      credits: credits("amount in credits, with up to 3 decimals; or --usd"),
      usd: usd("amount in USD, with up to 9 decimals"),
      reason: REASON_OPTION,
      reference: referenceOption(`identifies the ${noun}; a repeated reference is recorded once`),
    },
    check: ({ values }) => {
      amountOf(values);
    },
    run: async ({ operator, actor, values, output }) => {
      const { account, reason, reference } = values;
      const entry = { account_id: account, credits: amountOf(values), reason, reference };
      const written = await act(operator, entry, actor);
      if (written.isRepeated) {
        output.note(`this ${noun} was already recorded; nothing was added\n`);
      }
      return entryAnswer(written);
    },
  });
}

/** The amount in nano-dollars. @throws {UsageError} */
function amountOf({
  credits,
  usd,
}: Readonly<Record<"credits" | "usd", bigint | undefined>>): bigint {
  const amount = eitherOf({ credits, usd });
  if (amount === undefined) throw new UsageError("--credits or --usd is required");
  return amount;
}
