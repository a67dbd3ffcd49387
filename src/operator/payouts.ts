/**
 * Payouts: what providers were paid of what they earned, as the operator records it. Beyond 6.
 *
 * @module
 */
import { type Static, Type } from "@sinclair/typebox";
import type { Actor } from "../accounts/actor.ts";
import { usdText } from "../accounts/money.ts";
import { PayoutShape, payoutOf } from "../earnings/payouts.ts";
import { present } from "../lib/assert.ts";
import type { Row } from "../postgres/client/query.ts";
import { uuid } from "../shapes.ts";
import { accountReference, entryReference, usdNanos } from "./common_shapes.ts";
import { NUMBER_CURSOR } from "./keyset_cursor.ts";
import { PAGE_INPUT, type Page, readPage } from "./keyset_page.ts";
import type { InputOf, Operator } from "./operator.ts";
import { accountIdOf, findAccount } from "./references.ts";
import { Refused } from "./refused.ts";

export const ProviderPayoutShape = Type.Object(
  { account_id: uuid("The provider."), ...PayoutShape.properties },
  { $id: "ProviderPayout", description: "What a provider has been paid." },
);
export type PayoutOutcome = Static<typeof ProviderPayoutShape>;

export const RecordPayoutInput = Type.Object({
  account_id: accountReference,
  usd: usdNanos("What was paid, with up to 9 decimals."),
  reference: entryReference,
});

/** Notes what a provider was paid. It may be more than is owed: what was paid was paid. */
export async function recordPayout(
  { database }: Operator,
  { account_id: account, usd, reference }: InputOf<typeof RecordPayoutInput>,
  actor: Actor,
): Promise<{ readonly payout: PayoutOutcome; readonly isRepeated: boolean }> {
  const { account_id: accountId } = await findAccount(database, account);
  const asked = { account_id: accountId, amount_nanos: usd, reference, actor };
  const row = present(await database.row("record_payout", asked));
  if (row.outcome === "reference_taken") {
    throw new Refused(
      "REFERENCE_TAKEN",
      `reference "${reference}" is taken: a payout of ${usdText(row.amount_nanos)} USD to account ${row.account_id} has it`,
    );
  }
  return { payout: outcomeOf(row), isRepeated: row.outcome === "repeated" };
}

export const ListPayoutsInput = Type.Object({
  ...PAGE_INPUT,
  account_id: Type.Optional(accountReference),
});

/** Newest first. The cursor is a payout's id. */
export async function listPayouts(
  { database }: Operator,
  { limit, cursor, account_id: account }: InputOf<typeof ListPayoutsInput>,
): Promise<Page<PayoutOutcome>> {
  const accountId = await accountIdOf(database, account);
  const [before = null] = NUMBER_CURSOR.parse(cursor).map(BigInt);
  return readPage(limit, {
    read: (rowsMax) =>
      database.rows("list_payouts", {
        account_id: accountId,
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
