/**
 * Makes keys for an account. Only its hash is kept, so a key itself is seen here and never again.
 * Decisions 3.
 *
 * @module
 */
import { present } from "../lib/assert.ts";
import type { Database } from "../postgres/client/query.ts";
import { generateKey, hashKey, type Permission, startOf } from "./key_format.ts";

export interface KeyOrder {
  readonly accountId: string;
  readonly permission: Permission;
  readonly name?: string | undefined;
  /** RFC 3339; absent: never. */
  readonly expiresAt?: string | undefined;
  /** Nano-dollars that it may spend in a UTC day; absent: all that the account has. */
  readonly dailyNanos?: bigint | undefined;
  /** The only feeds that it may read; absent: all. */
  readonly feedIds?: readonly string[] | undefined;
}

export interface IssuedKey {
  readonly keyId: string;
  /** The key itself. */
  readonly key: string;
}

export interface KeyRotation {
  readonly keyId: string;
  /** As that of the key. */
  readonly permission: Permission;
  readonly graceSeconds: number;
}

export async function issueKey(database: Database, order: KeyOrder): Promise<IssuedKey> {
  const key = generateKey(order.permission);
  const row = await database.row("create_key", [
    order.accountId,
    hashKey(key),
    startOf(key),
    order.permission,
    order.name ?? null,
    order.expiresAt ?? null,
    order.dailyNanos ?? null,
    order.feedIds ?? null,
  ]);
  return { keyId: present(row).key_id, key };
}

/** A new key with the settings of another one, which ends after the grace. Undefined if the other one does not hold. */
export async function rotateKey(
  database: Database,
  { keyId, permission, graceSeconds }: KeyRotation,
): Promise<IssuedKey | undefined> {
  const key = generateKey(permission);
  const grace = `${graceSeconds} seconds`;
  const row = await database.row("rotate_key", [keyId, hashKey(key), startOf(key), grace]);
  return row && { keyId: row.key_id, key };
}
