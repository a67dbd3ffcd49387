import { generateKey, hashKey, type Permission, startOf } from "../../src/accounts/key_format.ts";
import type { Connections } from "../../src/postgres/client/connect.ts";

/** Makes an account's key straight in the database; the key in plain. */
export async function insertKey(
  sql: Connections,
  accountId: string,
  permission: Permission,
): Promise<string> {
  const key = generateKey(permission);
  await sql`
    insert into api_keys (account_id, key_hash, key_start, permission)
    values (${accountId}, ${hashKey(key)}, ${startOf(key)}, ${permission})`;
  return key;
}
