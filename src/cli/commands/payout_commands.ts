/**
 * `payout record`, `undo` and `list`: records what providers have been paid of their earnings.
 *
 * @module
 */
import {
  listPayouts,
  type PayoutOutcome,
  recordPayout,
  undoPayout,
} from "../../operator/payouts.ts";
import type { Answer } from "../command.ts";
import { databaseCommand } from "../database_command.ts";
import { afterNumber, LIMIT_OPTION, listAnswer } from "../list_page.ts";
import { ACCOUNT_OPTION, flag, required, usd } from "../options.ts";
import { fields } from "../output.ts";
import { REASON_OPTION, referenceOption } from "./ledger_answer.ts";

const payoutRecord = databaseCommand({
  words: "payout record",
  about: "record a payment to a provider, which reduces the amount owed",
  options: {
    account: required(ACCOUNT_OPTION),
    usd: required(usd("amount paid, with up to 9 decimals")),
    reference: required(
      referenceOption("payment reference; a repeated reference is recorded once"),
    ),
    "allow-above": flag("record it even if it exceeds the amount owed"),
  },
  run: async ({ operator, actor, values, output }) => {
    const { account, usd, reference, "allow-above": allowAbove } = values;
    const asked = { account_id: account, usd, reference, allow_above: allowAbove };
    const recorded = await recordPayout(operator, asked, actor);
    if (recorded.isRepeated) {
      output.note("this payout was already recorded; nothing was added\n");
    }
    return payoutAnswer(recorded.payout);
  },
});

const payoutUndo = databaseCommand({
  words: "payout undo",
  argument: "PAYOUT_ID",
  about: "undo a payout that was recorded by mistake; both entries stay in the list",
  options: { reason: REASON_OPTION },
  run: async ({ operator, actor, values: { reason }, argument: payoutId, output }) => {
    const undone = await undoPayout(operator, { payout_id: payoutId, reason }, actor);
    if (undone.isRepeated) {
      output.note("this payout was already undone; nothing was added\n");
    }
    return payoutAnswer(undone.payout);
  },
});

function payoutAnswer(payout: PayoutOutcome): Answer {
  return {
    json: JSON.stringify(payout),
    text: fields({
      payout: payout.payout_id,
      account: payout.account_id,
      USD: payout.usd.rawJSON,
      reference: payout.reference,
      undoes: payout.undoes_payout_id ?? undefined,
      reason: payout.reason ?? undefined,
      recorded: payout.paid_at,
    }),
  };
}

const payoutList = databaseCommand({
  words: "payout list",
  about: "list payouts to providers, newest first",
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
      UNDONE: (row) => takingBack(row),
    }),
});

/** How a payout relates to an undo, as readable text. */
function takingBack({ undoes_payout_id: undone, undone_by_payout_id: by, reason }: PayoutOutcome) {
  if (undone !== null) return `undoes ${undone}: ${reason}`;
  return by === null ? null : `by ${by}`;
}

export const PAYOUT_COMMANDS = [payoutRecord, payoutUndo, payoutList];
