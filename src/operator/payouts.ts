/**
 * Payouts: payments of earnings to providers, as the operator records them. See `src/spec/beyond.md`, section 6.
 *
 * @module
 */
import { type Static, Type } from "@sinclair/typebox";
import type { Actor } from "../accounts/actor.ts";
import { PayoutShape, payoutOf } from "../accounts/earnings/provider_payouts.ts";
import { present } from "../lib/assert.ts";
import { usdText } from "../money/money.ts";
import type { Row } from "../postgres/client/database.ts";
import { uuid } from "../shapes.ts";
import { accountReference, entryReference, reason, usdNanos } from "./common_shapes.ts";
import { NUMBER_CURSOR } from "./keyset_cursor.ts";
import { PAGE_INPUT, type Page, readPage } from "./keyset_page.ts";
import type { InputOf, Operator } from "./operator.ts";
import { accountIdOf, findAccount } from "./references.ts";
import { Refused } from "./refused.ts";
import type { Within } from "./time_range.ts";

export const ProviderPayoutShape = Type.Object(
  { account_id: uuid("The provider."), ...PayoutShape.properties },
  {
    $id: "ProviderPayout",
    description: "A payout to a provider, or the reversal of one.",
  },
);
export type PayoutOutcome = Static<typeof ProviderPayoutShape>;

export const RecordPayoutInput = Type.Object({
  account_id: accountReference,
  usd: usdNanos("What was paid, with up to 9 decimals."),
  reference: entryReference,
  allow_above: Type.Optional(
    Type.Boolean({ description: "Record it even if it exceeds the amount owed." }),
  ),
});

/** An entry of the list of payouts, and whether an earlier call had written it. */
interface WrittenPayout {
  readonly payout: PayoutOutcome;
  readonly isRepeated: boolean;
}

/** Notes what a provider was paid. More than it is owed only with `allow_above`. */
export async function recordPayout(
  { database }: Operator,
  input: InputOf<typeof RecordPayoutInput>,
  actor: Actor,
): Promise<WrittenPayout> {
  const { usd, reference, allow_above = false } = input;
  const { account_id: accountId } = await findAccount(database, input.account_id);
  const asked = { account_id: accountId, amount_nanos: usd, reference, allow_above, actor };
  const row = present(await database.row("record_payout", asked));
  if (row.owed_nanos !== null) {
    throw new Refused(
      "PAYOUT_ABOVE_OWED",
      `${usdText(usd)} USD is more than the ${usdText(row.owed_nanos)} USD that account ${accountId} is owed. Check the amount; if it was in fact paid, record it with --allow-above (over HTTP, allow_above)`,
    );
  }
  if (row.outcome === "reference_taken") {
    throw new Refused(
      "REFERENCE_TAKEN",
      `reference "${reference}" is already used by a payout of ${usdText(row.amount_nanos)} USD to account ${row.account_id}`,
    );
  }
  if (row.outcome === "undone") {
    throw new Refused(
      "REFERENCE_TAKEN",
      `the payout with reference "${reference}" was undone; if it was paid again, use another reference`,
    );
  }
  return { payout: outcomeOf(row), isRepeated: row.outcome === "repeated" };
}

export const UndoPayoutInput = Type.Object({
  payout_id: Type.String({ description: "The payout, by its id.", examples: ["7"] }),
  reason,
});

/** Takes a payout back that was recorded by mistake, by an entry beside it. */
export async function undoPayout(
  { database }: Operator,
  { payout_id: text, reason }: InputOf<typeof UndoPayoutInput>,
  actor: Actor,
): Promise<WrittenPayout> {
  const unknown = new Refused("PAYOUT_NOT_FOUND", `no payout has the id "${text}"`);
  if (!PAYOUT_ID.test(text)) throw unknown;
  const asked = { payout_id: BigInt(text), reason, actor };
  const row = present(await database.row("undo_payout", asked));
  if (row.outcome === "payout_unknown") throw unknown;
  if (row.outcome === "not_undoable") {
    throw new Refused(
      "PAYOUT_NOT_FOUND",
      `entry ${text} undoes a payout, and can't be undone itself; record the payment again with another reference`,
    );
  }
  return { payout: outcomeOf(row), isRepeated: row.outcome === "repeated" };
}

/** As many digits as surely fit in a bigint of PostgreSQL. */
const PAYOUT_ID = /^\d{1,18}$/;

export const ListPayoutsInput = Type.Object({
  ...PAGE_INPUT,
  account_id: Type.Optional(accountReference),
});

/** Newest first. The cursor is a payout's id. */
export async function listPayouts(
  { database }: Operator,
  { limit, cursor, account_id: account, since, until }: InputOf<typeof ListPayoutsInput> & Within,
): Promise<Page<PayoutOutcome>> {
  const accountId = await accountIdOf(database, account);
  const [before = null] = NUMBER_CURSOR.parse(cursor).map(BigInt);
  return readPage(limit, {
    read: (rowsMax) =>
      database.rows("list_payouts", {
        account_id: accountId,
        since: since ?? null,
        until: until ?? null,
        before_payout_id: before,
        limit: rowsMax,
      }),
    cursorOf: (row) => row.payout_id,
    entryOf: outcomeOf,
  });
}

function outcomeOf(row: Row<"list_payouts">): PayoutOutcome {
  return { account_id: row.account_id, ...payoutOf(row) };
}
