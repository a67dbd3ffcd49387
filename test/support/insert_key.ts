import { generateKey, hashKey, type Permission, startOf } from "../../src/accounts/key_format.ts";
import { arrayLiteral } from "../../src/postgres/client/array_literal.ts";
import type { Connections } from "../../src/postgres/client/connect.ts";

/** Inserts a key of an account into the database. Returns the key in plain text. */
export async function insertKey(
  sql: Connections,
  accountId: string,
  permission: Permission,
): Promise<string> {
  const [key = ""] = await insertKeys(sql, [accountId], permission);
  return key;
}

/** Inserts a key for each of the accounts. Returns the keys in plain text, in the same order. */
export async function insertKeys(
  sql: Connections,
  accountIds: readonly string[],
  permission: Permission,
): Promise<string[]> {
  const keys = accountIds.map(() => generateKey(permission));
  await sql`
    insert into api_keys (account_id, key_hash, key_start, permission)
    select account_id, decode(hash, 'hex'), start, ${permission}
    from unnest(
      ${arrayLiteral([...accountIds])}::uuid[], ${arrayLiteral(keys.map(hexHash))}::text[],
      ${arrayLiteral(keys.map(startOf))}::text[]
    ) as given (account_id, hash, start)`;
  return keys;
}

/** Inserts an admin key into the database. Returns its id, and the key in plain text. */
export async function insertAdminKey(
  { sql }: { readonly sql: Connections },
  name = "shop",
): Promise<{ readonly id: string; readonly key: string }> {
  const key = generateKey("admin");
  const rows = await sql`
    insert into admin_keys (key_hash, key_start, name)
    values (${hashKey(key)}, ${startOf(key)}, ${name})
    returning key_id`;
  return { id: rows[0]?.key_id, key };
}

/** The stored hash of a key. */
export function hexHash(key: string): string {
  return Buffer.from(hashKey(key)).toString("hex");
}
