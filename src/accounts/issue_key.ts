/**
 * Makes keys for an account. Only its hash is kept, so a key itself is seen here and never again.
 * Decisions 3.
 *
 * @module
 */
import type { Database, Row } from "../postgres/client/query.ts";
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
  /** RFC 3339, UTC. */
  readonly expiresAt: string | null;
}

export interface KeyRotation {
  readonly keyId: string;
  /** As that of the key. */
  readonly permission: Permission;
  readonly graceSeconds: number;
}

/** Undefined if there is no such account. */
export async function issueKey(
  database: Database,
  order: KeyOrder,
): Promise<IssuedKey | undefined> {
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
  return row && { keyId: row.key_id, key, expiresAt: row.expires_at };
}

/**
 * A new key with the settings of another one, which ends after the grace, given in seconds. Undefined if the
 * other one does not hold.
 */
export async function rotateKey(
  database: Database,
  { keyId, permission, graceSeconds }: KeyRotation,
): Promise<{ readonly key: string; readonly row: Row<"rotate_key"> } | undefined> {
  const key = generateKey(permission);
  const grace = `${graceSeconds} seconds`;
  const row = await database.row("rotate_key", [keyId, hashKey(key), startOf(key), grace]);
  return row && { key, row };
}
