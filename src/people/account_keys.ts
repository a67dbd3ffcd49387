/**
 * Keys that an account's owners make and end for themselves. The functions of operators do the work; this module checks
 * that the key is the account's own, and not an agent's or a session's. Beyond 16.
 *
 * @module
 */
import { Type } from "@sinclair/typebox";
import type { Actor } from "../accounts/actor.ts";
import { generateKey, hashKey, startOf } from "../accounts/key_format.ts";
import { present } from "../lib/assert.ts";
import { OWN_KEYS_MAX } from "../limits.ts";
import {
  type CreatedKeyOutcome,
  CreateKeyInput,
  createdKey,
  type EditKeyInput,
  editKey,
  feedIdsOf,
  keyNotForReading,
  type RotateKeyInput,
  revokeKey,
  rotateKey,
} from "../operator/keys.ts";
import type { InputOf, Operator } from "../operator/operator.ts";
import { Refused } from "../operator/refused.ts";
import type { Row } from "../postgres/client/database.ts";
import { ownerRequired } from "./members.ts";

/** Whose keys, and who acts. */
export interface Owner {
  readonly accountId: string;
  readonly personId: string;
  readonly actor: Actor;
}

const { account_id: _, ...created } = CreateKeyInput.properties;
export const CreateOwnKeyInput = Type.Object(created);

/** @throws {Refused} */
export async function createOwnKey(
  { database }: Operator,
  input: InputOf<typeof CreateOwnKeyInput>,
  { accountId, personId, actor }: Owner,
): Promise<CreatedKeyOutcome> {
  const { permission, name = null, expires_at: end = null, daily_credits: daily = null } = input;
  const feedIds = input.feed_ids === undefined ? null : await feedIdsOf(database, input.feed_ids);
  const key = generateKey(permission);
  const made = present(
    await database.row("create_own_key", {
      account_id: accountId,
      person_id: personId,
      keys_max: OWN_KEYS_MAX,
      key_hash: hashKey(key),
      key_start: startOf(key),
      permission,
      name,
      expires_at: end,
      daily_nanos: daily,
      feed_ids: feedIds,
      actor,
    }),
  );
  switch (made.outcome) {
    case "not_owner":
      throw ownerRequired();
    case "limited":
      throw keysLimit();
    case "not_for_reading":
      throw keyNotForReading();
    default:
      return createdKey(database, present(made.key_id ?? undefined), key);
  }
}

/** @throws {Refused} */
export async function editOwnKey(
  operator: Operator,
  input: InputOf<typeof EditKeyInput>,
  owner: Owner,
) {
  await findOwnKey(operator, input.key_id, owner);
  return editKey(operator, input, owner.actor);
}

/** @throws {Refused} */
export async function rotateOwnKey(
  operator: Operator,
  input: InputOf<typeof RotateKeyInput>,
  owner: Owner,
) {
  const { own_keys: living } = await findOwnKey(operator, input.key_id, owner);
  if (living >= OWN_KEYS_MAX && input.grace_seconds !== 0) throw keysLimit();
  return rotateKey(operator, input, owner.actor);
}

/** @throws {Refused} */
export async function revokeOwnKey(operator: Operator, keyId: string, owner: Owner) {
  await findOwnKey(operator, keyId, owner);
  return revokeKey(operator, { key_id: keyId }, owner.actor);
}

/** A key that the account's people have made, and how many agents it has connected. @throws {Refused} */
export async function findOwnKey(
  { database }: Operator,
  keyId: string,
  { accountId }: Pick<Owner, "accountId">,
): Promise<Row<"find_own_key">> {
  const row = await database.row("find_own_key", { account_id: accountId, key_id: keyId });
  if (row !== undefined) return row;
  throw new Refused("KEY_NOT_FOUND", "the account has no such key");
}

function keysLimit(): Refused {
  return new Refused(
    "KEYS_LIMIT",
    `the account has ${OWN_KEYS_MAX} keys that work, which is as many as it may have; revoke one first`,
  );
}
