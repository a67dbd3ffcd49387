/**
 * `payout record`, `payout list`: what providers were paid of what they earned. Beyond 6.
 *
 * @module
 */
import { listPayouts, recordPayout } from "../operator/payouts.ts";
import { databaseCommand } from "./database.ts";
import { referenceOption } from "./ledger_answer.ts";
import { afterNumber, LIMIT_OPTION, listAnswer } from "./list_page.ts";
import { ACCOUNT_OPTION, required, usd } from "./options.ts";
import { fields } from "./output.ts";

const payoutRecord = databaseCommand({
  words: "payout record",
  about: "note that a provider was paid, which lowers what it is owed",
  options: {
    account: required(ACCOUNT_OPTION),
    usd: required(usd("how much, with up to 9 decimals")),
    reference: required(referenceOption("of the payment: the same one twice is one payout")),
  },
  run: async ({ operator, actor, values: { account, usd, reference }, output }) => {
    const recorded = await recordPayout(operator, { account_id: account, usd, reference }, actor);
    if (recorded.isRepeated) {
      output.note("this payout was there already, and nothing was added\n");
    }
    const { payout } = recorded;
    return {
      json: JSON.stringify(payout),
      text: fields({
        payout: payout.payout_id,
        account: payout.account_id,
        USD: payout.usd.rawJSON,
        reference: payout.reference,
        recorded: payout.paid_at,
      }),
    };
  },
});

const payoutList = databaseCommand({
  words: "payout list",
  about: "list what providers were paid, newest first",
  options: {
    account: ACCOUNT_OPTION,
    limit: LIMIT_OPTION,
    after: afterNumber("this payout"),
  },
  run: async ({ operator, values: { account, limit, after } }) =>
    listAnswer(await listPayouts(operator, { account_id: account, limit, cursor: after }), {
      PAYOUT: (row) => row.payout_id,
      ACCOUNT: (row) => row.account_id,
      USD: (row) => row.usd.rawJSON,
      REFERENCE: { whole: (row) => row.reference },
      RECORDED: (row) => row.paid_at,
    }),
});

export const PAYOUT_COMMANDS = [payoutRecord, payoutList];
