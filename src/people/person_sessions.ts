/**
 * Sessions of persons, which `join.ts` begins. A session acts in one of the person's accounts at a time, with a read
 * and a write key that are created for it and end with it. They are encrypted with the cookie's token, so the database
 * alone is not enough to use them. See `src/spec/beyond.md`, section 16.
 *
 * Role and membership are read for each page, so a removal or demotion takes effect immediately in every process.
 *
 * @module
 */
import { generateKey, hashKey, startOf } from "../accounts/key_format.ts";
import { assert, present } from "../lib/assert.ts";
import { openToken, sealToken } from "../lib/sealed_token.ts";
import { sha256 } from "../lib/token.ts";
import { parseUuid } from "../lib/uuid.ts";
import type { Database } from "../postgres/client/database.ts";

const PURPOSE = "person session";

export const ROLES = ["owner", "member"] as const;
/** What a person may do with an account. */
export type MemberRole = (typeof ROLES)[number];

export interface Person {
  readonly id: string;
  readonly name: string;
  readonly address: string;
  /** By which addresses are compared. */
  readonly addressKey: string;
}

interface HeldKey {
  readonly keyId: string;
  readonly key: string;
}

export interface PersonSession {
  readonly person: Person;
  readonly expiresAt: string;
  /** Where the session acts. Undefined until the person has chosen, and after it was removed. */
  readonly acting:
    | {
        readonly account: { readonly id: string; readonly name: string };
        readonly role: MemberRole;
        readonly read: HeldKey;
        readonly write: HeldKey;
      }
    | undefined;
}

/** The session of a cookie's token. Undefined if it has ended, or is a session of a key. */
export async function findPersonSession(
  database: Database,
  token: string,
): Promise<PersonSession | undefined> {
  const row = await database.row("find_person_session", { session_hash: sha256(token) });
  if (row === undefined) return undefined;
  const person = {
    id: row.person_id,
    name: row.person_name,
    address: row.address,
    addressKey: row.address_key,
  };
  const { role, account_id: accountId } = row;
  const mayAct = role !== null && accountId !== null && row.suspension_reason === null;
  return {
    person,
    expiresAt: row.expires_at,
    acting: mayAct
      ? {
          account: { id: accountId, name: row.account_name ?? "" },
          role: memberRoleOf(role),
          read: heldKey(token, row.read_key_id, row.sealed_read_key),
          write: heldKey(token, row.write_key_id, row.sealed_write_key),
        }
      : undefined,
  };
}

function heldKey(token: string, keyId: string | null, sealed: string | null): HeldKey {
  const key = openToken(sealed ?? "", sealing(token))?.toString("utf8");
  assert(key !== undefined && keyId !== null, "the token that finds a session opens its keys");
  return { keyId, key };
}

export function memberRoleOf(text: string): MemberRole {
  return text === "owner" ? "owner" : "member";
}

interface Entering {
  readonly token: string;
  readonly accountId: string;
}

/** Lets a session act in another account of its person. */
export async function enterAccount(
  database: Database,
  { token, accountId }: Entering,
): Promise<"entered" | "not_member" | "suspended" | "over"> {
  const enteredId = parseUuid(accountId);
  if (enteredId === undefined) return "not_member";
  const read = generateKey("read");
  const write = generateKey("write");
  const seal = (key: string) => sealToken(Buffer.from(key, "utf8"), sealing(token));
  const { outcome } = present(
    await database.row("enter_account", {
      session_hash: sha256(token),
      account_id: enteredId,
      read_hash: hashKey(read),
      read_start: startOf(read),
      sealed_read: seal(read),
      write_hash: hashKey(write),
      write_start: startOf(write),
      sealed_write: seal(write),
    }),
  );
  return outcome === "entered" || outcome === "suspended" || outcome === "not_member"
    ? outcome
    : "over";
}

/** Ends a session, or all of its person. */
export async function endPersonSessions(
  database: Database,
  token: string,
  { isEverywhere }: { readonly isEverywhere: boolean },
): Promise<void> {
  await database.row("end_person_sessions", {
    session_hash: sha256(token),
    is_everywhere: isEverywhere,
  });
}

/** A person's accounts, by name. */
export async function listMemberships(database: Database, personId: string) {
  const rows = await database.rows("list_memberships", { person_id: personId });
  return rows.map((row) => ({
    account: { id: row.account_id, name: row.account_name },
    role: memberRoleOf(row.role),
    suspensionReason: row.suspension_reason ?? undefined,
    balanceNanos: row.balance_nanos,
  }));
}

function sealing(token: string) {
  return { secret: token, purpose: PURPOSE, binding: "" };
}
