/**
 * Functions of operators on keys: create, change, find, and revoke them. See `src/spec/beyond.md`, sections 1 and 5.
 *
 * The key itself is returned only when it is created. From then on, it is identified by its id or its beginning.
 *
 * @module
 */
import { type Static, Type } from "@sinclair/typebox";
import type { Actor } from "../accounts/actor.ts";
import { generateKey, hashKey, type KeyPermission, startOf } from "../accounts/key_format.ts";
import { present } from "../lib/assert.ts";
import { nullable, oneOf, text } from "../lib/typebox.ts";
import { NAME_LENGTH_MAX } from "../limits.ts";
import { creditsNumber } from "../money/money.ts";
import type { Database, Parameters, Row } from "../postgres/client/database.ts";
import { exact, time, uuid } from "../shapes.ts";
import { accountReference, feedReference, name, nanos } from "./common_shapes.ts";
import { PAGE_INPUT, type Page, readPage } from "./keyset_page.ts";
import type { InputOf, Operator } from "./operator.ts";
import {
  findAccount,
  findKey,
  findLiveFeed,
  findOpenAccount,
  findPlace,
  keyParameters,
} from "./references.ts";
import { Refused } from "./refused.ts";

/** How long a rotated key still works by default, and at most, in seconds. */
export const GRACE_SECONDS = 24 * 3_600;
export const GRACE_SECONDS_MAX = 365 * 24 * 3_600;

const permission = oneOf(["read", "write"], {
  description: "read: catalog, search, data; write: push and edit own feeds.",
});
const keyReference = text({
  minLength: 1,
  maxLength: NAME_LENGTH_MAX,
  description: "The key, by id, by prefix, or complete.",
  examples: ["fg_read_abcd"],
});
const limits = {
  daily_credits: nullable(exact("Budget per UTC day; null: unlimited.")),
  feed_ids: nullable(
    Type.Array(uuid("Of a feed."), { description: "The only feeds it may read; null: all." }),
  ),
};

export const KeyShape = Type.Object(
  {
    id: uuid("Of the key."),
    key_start: Type.String({ description: "The first characters of the key." }),
    permission: Type.String({ description: "read, write or admin." }),
    account_id: nullable(uuid("The account that owns it; null: an operator's key.")),
    name: nullable(Type.String({ description: "Display name." })),
    created_at: time("When it was created."),
    expires_at: nullable(time("When it expires; null: never.")),
    revoked_at: nullable(time("When it was revoked.")),
    last_used_at: nullable(time("When it was last used, to the minute.")),
    ...limits,
  },
  { $id: "Key", description: "The record of a key." },
);
export type KeyOutcome = Static<typeof KeyShape>;

export const CreatedKeyShape = Type.Object(
  {
    id: uuid("Of the key."),
    key: Type.String({ description: "The key itself, shown only once." }),
    permission: Type.String({ description: "read, write or admin." }),
    account_id: nullable(uuid("The account that owns it; null: an operator's key.")),
    name: nullable(Type.String({ description: "Display name." })),
    expires_at: nullable(time("When it expires; null: never.")),
    ...limits,
  },
  { $id: "CreatedKey", description: "A new key." },
);
export type CreatedKeyOutcome = Static<typeof CreatedKeyShape>;

export const RotatedKeyShape = Type.Object(
  {
    ...KeyShape.properties,
    key: Type.String({ description: "The new key itself, shown only once." }),
    replaces: uuid("The old key, which expires after the grace period."),
  },
  { $id: "RotatedKey", description: "A new key that replaces another one." },
);
export type RotatedKeyOutcome = Static<typeof RotatedKeyShape>;

export const FoundKeyShape = Type.Object(
  {
    ...KeyShape.properties,
    account_name: nullable(Type.String({ description: "The account's name." })),
  },
  { $id: "FoundKey", description: "The record of a key, with the name of its account." },
);
export type FoundKeyOutcome = Static<typeof FoundKeyShape>;

const dailyInput = nanos("Budget per UTC day; default unlimited.");
const feedsInput = Type.Unsafe<readonly string[]>(
  Type.Array(feedReference, { description: "The only feeds it may read." }),
);
const endInput = time("When it expires.");

export const CreateKeyInput = Type.Object({
  account_id: accountReference,
  permission,
  name: Type.Optional(name),
  expires_at: Type.Optional(endInput),
  daily_credits: Type.Optional(dailyInput),
  feed_ids: Type.Optional(feedsInput),
});

export async function createKey(
  { database }: Operator,
  input: InputOf<typeof CreateKeyInput>,
  actor: Actor,
): Promise<CreatedKeyOutcome> {
  const { permission, name = null, expires_at: end = null, daily_credits: daily = null } = input;
  const { account_id: accountId } = await findOpenAccount(database, input.account_id);
  const feedIds = input.feed_ids === undefined ? null : await feedIdsOf(database, input.feed_ids);
  const key = generateKey(permission);
  const made = present(
    await database.row("create_key", {
      account_id: accountId,
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
  if (made.outcome === "not_for_reading") throw keyNotForReading();
  return createdKey(database, present(made.key_id), key);
}

export const CreateAdminKeyInput = Type.Object({ name, expires_at: Type.Optional(endInput) });

/** Makes a key of an operator, which belongs to no account. Only the command does. */
export async function createAdminKey(
  { database }: Operator,
  input: InputOf<typeof CreateAdminKeyInput>,
  actor: Actor,
): Promise<CreatedKeyOutcome> {
  const { name, expires_at: end = null } = input;
  const key = generateKey("admin");
  const made = await database.row("create_admin_key", {
    key_hash: hashKey(key),
    key_start: startOf(key),
    name,
    expires_at: end,
    actor,
  });
  return createdKey(database, present(made).key_id, key);
}

export const EditKeyInput = Type.Object({
  key_id: keyReference,
  name: Type.Optional(name),
  expires_at: Type.Optional(nullable(endInput)),
  daily_credits: Type.Optional(nullable(dailyInput)),
  feed_ids: Type.Optional(nullable(feedsInput)),
});

/** Changes what is given. Null takes a limit away. */
export async function editKey(
  { database }: Operator,
  input: InputOf<typeof EditKeyInput>,
  actor: Actor,
): Promise<KeyOutcome> {
  const { key_id: keyId, permission } = await findKey(database, input.key_id);
  const { name, expires_at, daily_credits: daily, feed_ids: feeds } = input;
  if (permission === "admin") {
    if ((daily ?? feeds ?? null) !== null) throw keyNotForReading();
    const fields = JSON.stringify({ name, expires_at });
    const edited = await database.row("edit_admin_key", { key_id: keyId, fields, actor });
    if (edited === undefined) throw notUsable(input.key_id, "is revoked, and can't be changed");
    return keyOf(await findKey(database, keyId));
  }
  return editBy(
    database,
    {
      key_id: keyId,
      name,
      expires_at,
      daily,
      feedIds: feeds && (await feedIdsOf(database, feeds)),
    },
    (edit) => database.row("edit_key", { ...edit, actor }),
  );
}

interface KeyEdit {
  readonly key_id: string;
  readonly name?: string | undefined;
  readonly expires_at?: string | null | undefined;
  /** Nano-dollars. */
  readonly daily?: bigint | null | undefined;
  readonly feedIds?: readonly string[] | null | undefined;
}

/** @param edit stores the fields that are given, as one JSON object */
export async function editBy(
  database: Database,
  { key_id, name, expires_at, daily, feedIds }: KeyEdit,
  edit: (edit: {
    readonly key_id: string;
    readonly fields: string;
  }) => Promise<{ readonly outcome: string } | undefined>,
): Promise<KeyOutcome> {
  const daily_nanos = typeof daily === "bigint" ? String(daily) : daily;
  const fields = JSON.stringify({ name, expires_at, daily_nanos, feed_ids: feedIds });
  const { outcome } = present(await edit({ key_id, fields }));
  if (outcome === "not_usable") throw notUsable(key_id, "is revoked, and can't be changed");
  if (outcome === "not_for_reading") throw keyNotForReading();
  return keyOf(await findKey(database, key_id));
}

export const RotateKeyInput = Type.Object({
  key_id: keyReference,
  grace_seconds: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: GRACE_SECONDS_MAX,
      description: `Seconds for which the old key still works; default ${GRACE_SECONDS}.`,
    }),
  ),
});

/** What the statements of a rotation are given. */
interface Rotation {
  readonly key_id: string;
  readonly new_hash: Uint8Array;
  readonly new_start: string;
  readonly grace: string;
}

/** Makes a new key with the settings of another one, which ends after the grace. */
export function rotateKey(
  { database }: Operator,
  input: InputOf<typeof RotateKeyInput>,
  actor: Actor,
): Promise<RotatedKeyOutcome> {
  return rotateBy(database, input, async (rotation, permission) => {
    const statement = permission === "admin" ? "rotate_admin_key" : "rotate_key";
    return (await database.row(statement, { ...rotation, actor }))?.key_id;
  });
}

/** @param rotate stores the new key; undefined if the old one is not valid */
export async function rotateBy(
  database: Database,
  { key_id: given, grace_seconds: graceSeconds = GRACE_SECONDS }: InputOf<typeof RotateKeyInput>,
  rotate: (rotation: Rotation, permission: KeyPermission) => Promise<string | undefined>,
): Promise<RotatedKeyOutcome> {
  const { key_id: keyId, permission: known } = await findKey(database, given);
  const permission = known === "admin" || known === "write" ? known : "read";
  const key = generateKey(permission);
  const madeId = await rotate(
    {
      key_id: keyId,
      new_hash: hashKey(key),
      new_start: startOf(key),
      grace: `${graceSeconds} seconds`,
    },
    permission,
  );
  if (madeId === undefined) throw notUsable(given, "is revoked or expired; create a new one");
  const { id, ...rest } = keyOf(await findKey(database, madeId));
  return { id, key, replaces: keyId, ...rest };
}

export const ListKeysInput = Type.Object({ ...PAGE_INPUT, account_id: accountReference });

/** An account's keys in any state, oldest first. The cursor is a key's id. */
export async function listKeys(
  operator: Operator,
  { account_id: account, ...place }: InputOf<typeof ListKeysInput>,
): Promise<Page<KeyOutcome>> {
  const { account_id: accountId } = await findAccount(operator.database, account);
  return pageOfKeys(operator, { account_id: accountId, is_admin_only: false }, place);
}

export const ListAdminKeysInput = Type.Object(PAGE_INPUT);
type PageInput = InputOf<typeof ListAdminKeysInput>;

/** Operators' own keys in any state, oldest first. The cursor is a key's id. */
export function listAdminKeys(operator: Operator, place: PageInput): Promise<Page<KeyOutcome>> {
  return pageOfKeys(operator, { account_id: null, is_admin_only: true }, place);
}

async function pageOfKeys(
  { database }: Operator,
  whose: Pick<Parameters<"list_keys">, "account_id" | "is_admin_only">,
  { limit, cursor }: PageInput,
): Promise<Page<KeyOutcome>> {
  const after = await findPlace(database, { cursor, find: findKey });
  const all = { key_id: null, key_hash: null, beginning: null };
  return readPage(limit, {
    read: (rowsMax) =>
      database.rows("list_keys", {
        ...whose,
        ...all,
        after_key_id: after?.key_id ?? null,
        limit: rowsMax,
      }),
    cursorOf: (row) => row.key_id,
    entryOf: keyOf,
  });
}

/** As `editKey`, for faces by which no operator's own key is changed. @throws {Refused} */
export async function editAccountKey(
  operator: Operator,
  input: InputOf<typeof EditKeyInput>,
  actor: Actor,
): Promise<KeyOutcome> {
  await requireAccountKey(operator, input.key_id);
  return editKey(operator, input, actor);
}

/** As `rotateKey`, for faces by which no operator's own key is changed. @throws {Refused} */
export async function rotateAccountKey(
  operator: Operator,
  input: InputOf<typeof RotateKeyInput>,
  actor: Actor,
): Promise<RotatedKeyOutcome> {
  await requireAccountKey(operator, input.key_id);
  return rotateKey(operator, input, actor);
}

/** An operator's own key is changed by the command only. @throws {Refused} */
async function requireAccountKey({ database }: Operator, given: string): Promise<void> {
  const { permission } = await findKey(database, given);
  if (permission !== "admin") return;
  throw new Refused(
    "ADMIN_KEY_BY_COMMAND",
    "admin keys can only be created and changed with the feedgate command on the server; here you can find and revoke them",
  );
}

export const FindKeyInput = Type.Object({ key: keyReference });

/** The record of a key that somebody has found, whole or its beginning. */
export async function findKeyRecord(
  { database }: Operator,
  { key: given }: InputOf<typeof FindKeyInput>,
): Promise<FoundKeyOutcome> {
  const wanted = given.trim();
  const { beginning } = keyParameters(wanted);
  // Of a key that was cut off, as much can be compared as is stored.
  const row = await findKey(database, beginning === null ? wanted : startOf(beginning));
  const { id, ...rest } = keyOf(row);
  return { id, account_name: row.account_name, ...rest };
}

export const RevokeKeyInput = Type.Object({ key_id: keyReference });

/**
 * Ends a key: it reads and writes nothing from the next request on. A key that was revoked before keeps its time. Who
 * else may end one is in `edit_key.sql`.
 */
export async function revokeKey(
  { database }: Operator,
  { key_id: given }: InputOf<typeof RevokeKeyInput>,
  actor: Actor,
): Promise<KeyOutcome> {
  const { key_id: keyId, permission } = await findKey(database, given);
  // PostgreSQL reads "now" as the time.
  await database.row(permission === "admin" ? "edit_admin_key" : "edit_key", {
    key_id: keyId,
    fields: JSON.stringify({ revoked_at: "now" }),
    actor,
  });
  return keyOf(await findKey(database, keyId));
}

/** The record of a key that was just made, with the key itself. */
export async function createdKey(
  database: Database,
  keyId: string,
  key: string,
): Promise<CreatedKeyOutcome> {
  const row = await findKey(database, keyId);
  const { id, permission, account_id, name, expires_at, daily_credits, feed_ids } = keyOf(row);
  return { id, key, permission, account_id, name, expires_at, daily_credits, feed_ids };
}

function keyOf(row: Row<"list_keys">): KeyOutcome {
  return {
    id: row.key_id,
    key_start: row.key_start,
    permission: row.permission,
    account_id: row.account_id,
    name: row.name,
    created_at: row.created_at,
    expires_at: row.expires_at,
    revoked_at: row.revoked_at,
    last_used_at: row.last_used_at,
    daily_credits: row.daily_nanos === null ? null : creditsNumber(row.daily_nanos),
    feed_ids: row.feed_ids === null ? null : row.feed_ids.split(","),
  };
}

/** Of feeds that are there, each once. @throws {Refused} if one is not */
async function feedIdsOf(database: Database, references: readonly string[]): Promise<string[]> {
  const feedIds = new Set<string>();
  for (const reference of references) {
    feedIds.add((await findLiveFeed(database, reference)).feed_id);
  }
  return [...feedIds];
}

function notUsable(given: string, why: string): Refused {
  return new Refused("KEY_NOT_USABLE", `key "${given}" ${why}`);
}

export function keyNotForReading(): Refused {
  return new Refused(
    "KEY_NOT_FOR_READING",
    "a write key can't read feeds, so daily credits and feeds apply only to read keys",
  );
}
