/**
 * Closes an account: revokes and deletes everything that belongs to it. Records that must be kept stay under its id,
 * without names. See `src/spec/beyond.md`, section 16.
 *
 * @module
 */
import { type Static, Type } from "@sinclair/typebox";
import { nameIn, present, unreachable } from "../lib/assert.ts";
import { usdText } from "../money/money.ts";
import { accountReference } from "../operator/common_shapes.ts";
import type { InputOf, Operator } from "../operator/operator.ts";
import { findAccount } from "../operator/references.ts";
import { Refused } from "../operator/refused.ts";
import { uuid } from "../shapes.ts";
import { type By, ownerRequired } from "./members.ts";

export const CloseAccountInput = Type.Object({ account_id: accountReference });

export const ClosedAccountShape = Type.Object(
  { id: uuid("Of the account."), is_closed: Type.Literal(true, { description: "Always." }) },
  { $id: "ClosedAccount", description: "An account that was closed." },
);

/** A second time changes nothing. @throws {Refused} while earnings are owed to it */
export async function closeAccount(
  { database }: Operator,
  { account_id: account }: InputOf<typeof CloseAccountInput>,
  { personId, actor }: By,
): Promise<Static<typeof ClosedAccountShape>> {
  const { account_id: accountId } = await findAccount(database, account);
  const closed = present(
    await database.row("close_account", {
      account_id: accountId,
      person_id: personId ?? null,
      actor,
    }),
  );
  // The account was found, and no account is ever removed.
  const outcome = nameIn(["closed", "not_owner", "owed"], closed.outcome);
  switch (outcome) {
    case "not_owner":
      throw ownerRequired();
    case "owed":
      throw new Refused(
        "ACCOUNT_OWED",
        `${usdText(closed.owed_nanos ?? 0n)} USD of earnings are owed to the account; it can be closed once they are paid out`,
      );
    case "closed":
      return { id: accountId, is_closed: true };
    default:
      return unreachable(outcome);
  }
}
