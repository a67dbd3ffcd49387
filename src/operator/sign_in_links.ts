/**
 * Links that sign their holder in to the console, once, within 15 minutes. See `src/spec/beyond.md`, section 5.
 *
 * A link is for one account and permission, or for an operator. Its token is not stored, only the token's hash.
 *
 * @module
 */
import { type Static, Type } from "@sinclair/typebox";
import type { Actor } from "../accounts/actor.ts";
import { present } from "../lib/assert.ts";
import { intervalOf } from "../lib/time_units.ts";
import { newToken, sha256 } from "../lib/token.ts";
import { oneOf } from "../lib/typebox.ts";
import { SIGN_IN_LINK_MS } from "../limits.ts";
import { time } from "../shapes.ts";
import { accountReference } from "./common_shapes.ts";
import type { InputOf, Operator } from "./operator.ts";
import { findOpenAccount } from "./references.ts";
import { Refused } from "./refused.ts";

/** Links that are over and that a new one forgets. */
const FORGOTTEN_MAX = 100n;

export const SignInLinkShape = Type.Object(
  {
    url: Type.String({
      description: "The link. It signs in the first person who uses it.",
    }),
    expires_at: time("When it expires."),
  },
  { $id: "SignInLink", description: "A single-use link that signs in to the console." },
);
export type SignInLinkOutcome = Static<typeof SignInLinkShape>;

export const CreateSignInLinkInput = Type.Object({
  account_id: accountReference,
  permission: oneOf(["read", "write"], {
    description: "read: as a consumer; write: as a provider.",
  }),
});

/** Where links lead: the gateway's public address. */
export interface Linking extends Operator {
  readonly baseUrl: string;
}

/** For an account's holder. @throws {Refused} for an account that is suspended */
export async function createSignInLink(
  operator: Linking,
  { account_id: account, permission }: InputOf<typeof CreateSignInLinkInput>,
  actor: Actor,
): Promise<SignInLinkOutcome> {
  const row = await findOpenAccount(operator.database, account);
  if (row.suspension_reason !== null) {
    throw new Refused(
      "ACCOUNT_SUSPENDED",
      `account ${row.account_id} is suspended (${row.suspension_reason}), so sign-in is blocked; resume the account first`,
    );
  }
  return create(operator, { permission, accountId: row.account_id }, actor);
}

/** For an operator. Only the command does. */
export function createOperatorLink(operator: Linking, actor: Actor): Promise<SignInLinkOutcome> {
  return create(operator, { permission: "admin", accountId: null }, actor);
}

interface Whose {
  readonly permission: "read" | "write" | "admin";
  readonly accountId: string | null;
}

async function create(
  { database, baseUrl }: Linking,
  { permission, accountId }: Whose,
  actor: Actor,
): Promise<SignInLinkOutcome> {
  const token = newToken();
  const made = await database.row("create_sign_in_link", {
    link_hash: sha256(token),
    permission,
    account_id: accountId,
    made_by: actor,
    lifetime: intervalOf(SIGN_IN_LINK_MS),
    forgotten_max: FORGOTTEN_MAX,
  });
  return { url: `${baseUrl}/console/link/${token}`, expires_at: present(made).expires_at };
}
