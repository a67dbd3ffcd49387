/**
 * Keys that an account's owners create and revoke themselves. The functions of operators do the work; this module
 * checks that the key is the account's own, and not an agent's or a session's. See `src/spec/beyond.md`, section 16.
 *
 * @module
 */
import { Type } from "@sinclair/typebox";
import type { Actor } from "../accounts/actor.ts";
import { generateKey, hashKey, startOf } from "../accounts/key_format.ts";
import { referenceParameters } from "../feeds/find.ts";
import { present } from "../lib/assert.ts";
import { parseUuid } from "../lib/uuid.ts";
import { OWN_KEYS_MAX } from "../limits.ts";
import {
  type CreatedKeyOutcome,
  CreateKeyInput,
  createdKey,
  type EditKeyInput,
  editBy,
  keyNotForReading,
  type RotateKeyInput,
  revokeKey,
  rotateBy,
} from "../operator/keys.ts";
import type { InputOf, Operator } from "../operator/operator.ts";
import { Refused } from "../operator/refused.ts";
import type { Database, Row } from "../postgres/client/database.ts";
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
  const feedIds =
    input.feed_ids === undefined ? null : await feedIdsFor(database, accountId, input.feed_ids);
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
  requireMayMake(made);
  if (made.outcome === "not_for_reading") throw keyNotForReading();
  return createdKey(database, present(made.key_id ?? undefined), key);
}

/** @throws {Refused} */
export async function editOwnKey(
  operator: Operator,
  input: InputOf<typeof EditKeyInput>,
  owner: Owner,
) {
  const { database } = operator;
  const { accountId, personId, actor } = owner;
  const { key_id, feed_ids: kept } = await findOwnKey(operator, input.key_id, owner);
  const { name, expires_at, daily_credits: daily, feed_ids: feeds } = input;
  const feedIds = feeds && (await feedIdsFor(database, accountId, feeds, kept?.split(",")));
  return editBy(database, { key_id, name, expires_at, daily, feedIds }, async (edit) => {
    const own = { account_id: accountId, person_id: personId, keys_max: OWN_KEYS_MAX };
    const edited = present(await database.row("edit_own_key", { ...own, ...edit, actor }));
    requireMayMake(edited);
    return edited;
  });
}

/** @throws {Refused} */
export async function rotateOwnKey(
  operator: Operator,
  input: InputOf<typeof RotateKeyInput>,
  owner: Owner,
) {
  const { accountId, personId, actor } = owner;
  const { database } = operator;
  await findOwnKey(operator, input.key_id, owner);
  return rotateBy(database, input, async (rotation) => {
    const own = { account_id: accountId, person_id: personId, keys_max: OWN_KEYS_MAX };
    const made = present(await database.row("rotate_own_key", { ...own, ...rotation, actor }));
    requireMayMake(made);
    return made.key_id ?? undefined;
  });
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
  const id = parseUuid(keyId);
  const row =
    id === undefined
      ? undefined
      : await database.row("find_own_key", { account_id: accountId, key_id: id });
  if (row !== undefined) return row;
  throw new Refused("KEY_NOT_FOUND", "the account has no key with this id");
}

/**
 * The distinct ids of the requested feeds. Each must be a feed that the account can find, or one that the key was
 * already limited to. A feed that the account can't find is refused like an unknown one.
 *
 * @throws {Refused}
 */
async function feedIdsFor(
  database: Database,
  accountId: string,
  references: readonly string[],
  kept: readonly string[] = [],
): Promise<string[]> {
  const feedIds = new Set<string>();
  for (const reference of references) {
    const lower = reference.toLowerCase();
    const found = kept.includes(lower)
      ? { feed_id: lower }
      : await database.row("find_feed", {
          ...referenceParameters(lower),
          active_only: true,
          reader_id: accountId,
        });
    if (found === undefined) {
      throw new Refused("FEED_NOT_FOUND", `no active feed has the id or slug "${reference}"`);
    }
    feedIds.add(found.feed_id);
  }
  return [...feedIds];
}

/** The outcomes of `own_key_refusal.sql`. @throws {Refused} */
function requireMayMake({ outcome }: { readonly outcome: string }): void {
  if (outcome === "not_owner") throw ownerRequired();
  if (outcome !== "limited") return;
  throw new Refused(
    "KEYS_LIMIT",
    `the account has reached its limit of ${OWN_KEYS_MAX} active keys; revoke one first`,
  );
}
