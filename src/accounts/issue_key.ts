/**
 * Makes a key for an account. Only its hash is kept, so the key itself is seen here and never again.
 * Decisions 3.
 *
 * @module
 */
import type { Database } from "../postgres/client/query.ts";
import { generateKey, hashKey, type Permission, startOf } from "./key_format.ts";

export interface KeyOrder {
  readonly accountId: string;
  readonly permission: Permission;
  readonly name?: string | undefined;
  /** RFC 3339; absent: never. */
  readonly expiresAt?: string | undefined;
}

export interface IssuedKey {
  readonly keyId: string;
  /** The key itself. */
  readonly key: string;
  /** RFC 3339, UTC. */
  readonly expiresAt: string | null;
}

/** Undefined where there is no such account. */
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
  ]);
  return row && { keyId: row.key_id, key, expiresAt: row.expires_at };
}
