/**
 * Sessions of the console. A session belongs to a key or to a person. A session of a key may do what the key may do,
 * and ends when the key is revoked. A sign-in link creates a separate key for its session. A person acts in one of
 * their accounts, with keys that belong to the session (`people/person_sessions.ts`). See `src/spec/beyond.md`,
 * sections 5 and 16.
 *
 * The cookie's token is not stored, only its hash. The key is stored sealed with the token, so the database alone is
 * not enough to act for anyone. Each page looks up its session again, so the end of a session takes effect immediately
 * in every process.
 *
 * @module
 */
import { type Actor, adminKeyActor, keyActor, personActor } from "../../accounts/actor.ts";
import { assert, present } from "../../lib/assert.ts";
import { openToken, sealToken } from "../../lib/sealed_token.ts";
import { intervalOf } from "../../lib/time_units.ts";
import { newToken, sha256 } from "../../lib/token.ts";
import { SESSION_MS } from "../../limits.ts";
import { createAdminKey, createKey, revokeKey } from "../../operator/keys.ts";
import type { Operator } from "../../operator/operator.ts";
import { findKey } from "../../operator/references.ts";
import {
  endPersonSessions,
  findPersonSession,
  type MemberRole,
  type Person,
} from "../../people/person_sessions.ts";
import type { Database } from "../../postgres/client/database.ts";
import type { Services } from "../../services.ts";
import { cookieValue, isOverTls, SESSION_COOKIE } from "./cookie.ts";

/** Sessions that are over and that a new one forgets. */
const FORGOTTEN_MAX = 100n;
const PURPOSE = "console session";

export type Role = "admin" | "read" | "write";

/** A person who is signed in, and what it may do with the account of the session. */
export interface Member extends Person {
  readonly role: MemberRole;
  /** The keys of the session, by the role whose pages they serve. */
  readonly keys: Readonly<
    Record<"read" | "write", { readonly keyId: string; readonly key: string }>
  >;
}

/** A sign-in: its key or person, its role, and the account that it acts in. */
export interface Session {
  readonly token: string;
  /** Whose pages the session has. A person has those of consumers and of providers: see `actingAs`. */
  readonly role: Role;
  readonly keyId: string;
  /** The key itself. */
  readonly key: string;
  readonly keyName: string | null;
  /** Undefined for an operator. */
  readonly account: { readonly id: string; readonly name: string } | undefined;
  /** As the audit trail names it. */
  readonly actor: Actor;
  readonly expiresAt: string;
  /** Whether the key was made for this session, and ends with it. */
  readonly isOwnKey: boolean;
  /** Undefined if the session stands for a key. */
  readonly member: Member | undefined;
}

/** Whoever a request's cookie signs in. */
export interface Visitor {
  /** Undefined if nobody is signed in, or a person who acts in no account. */
  readonly session?: Session | undefined;
  /** A person who is signed in and acts in no account. */
  readonly person?: SignedInPerson | undefined;
}

export interface SignedInPerson extends Person {
  /** Of the session's cookie. */
  readonly token: string;
}

/**
 * The visitor that a request's cookie identifies. An operator counts as signed in only on the operators' listener.
 */
export async function visitorOf(services: SessionServices, request: Request): Promise<Visitor> {
  const token = cookieValue(request.headers, SESSION_COOKIE, isOverTls(services, request));
  if (token === undefined) return {};
  const session = await findSession(services.database, token);
  if (session !== undefined) {
    const isHidden = session.role === "admin" && !services.operatorsListener.serves(request);
    return isHidden ? {} : { session };
  }
  const found = await findPersonSession(services.database, token);
  if (found === undefined) return {};
  const { person, acting, expiresAt } = found;
  if (acting === undefined) return { person: { ...person, token } };
  const { account, role, read, write } = acting;
  return {
    session: {
      token,
      role: "read",
      ...read,
      keyName: null,
      account,
      actor: personActor(person.id),
      expiresAt,
      isOwnKey: true,
      member: { ...person, role, keys: { read, write } },
    },
  };
}

/** The session of a request's cookie. Undefined if nobody is signed in who can act. */
export async function sessionOf(
  services: SessionServices,
  request: Request,
): Promise<Session | undefined> {
  return (await visitorOf(services, request)).session;
}

/** The session for a page of a role, with the key that serves it. */
export function actingAs(session: Session, role: Role): Session {
  const { member } = session;
  return member === undefined || role === "admin"
    ? session
    : { ...session, role, ...member.keys[role] };
}

/** What finds a session. */
export type SessionServices = Pick<Services, "config" | "database" | "http" | "operatorsListener">;

/** The session of a cookie's token; undefined if it is over, or its key or account may do nothing any more. */
async function findSession(database: Database, token: string): Promise<Session | undefined> {
  const row = await database.row("find_session", { session_hash: sha256(token) });
  if (row === undefined) return undefined;
  const key = openToken(row.sealed_key, sealing(token))?.toString("utf8");
  assert(key !== undefined, "the token that finds a session opens its key");
  const { key_id: keyId, key_name: keyName, account_id: accountId, account_name: name } = row;
  const role = roleOf(row.permission);
  return {
    token,
    role,
    keyId,
    key,
    keyName,
    account: accountId === null ? undefined : { id: accountId, name: name ?? "" },
    actor:
      role === "admin"
        ? adminKeyActor({ keyId, name: keyName ?? "" }, "console")
        : keyActor(keyId, "console"),
    expiresAt: row.expires_at,
    isOwnKey: row.is_own_key,
    member: undefined,
  };
}

interface SignedIn {
  /** A valid key: the caller has checked it. */
  readonly key: string;
  /** Whether it was made for this session. */
  readonly isOwnKey: boolean;
}

/** Begins a session that stands for a key. Returns the token for the cookie. */
export async function beginSession(
  database: Database,
  { key, isOwnKey }: SignedIn,
): Promise<string> {
  const { key_id: keyId, permission } = await findKey(database, key);
  const token = newToken();
  await database.row("begin_session", {
    session_hash: sha256(token),
    permission,
    key_id: keyId,
    sealed_key: sealToken(Buffer.from(key, "utf8"), sealing(token)),
    is_own_key: isOwnKey,
    lifetime: intervalOf(SESSION_MS),
    forgotten_max: FORGOTTEN_MAX,
  });
  return token;
}

interface GivenLink {
  readonly linkToken: string;
  /** Whether an operator may be signed in. If not, an operator's link counts as invalid. */
  readonly isForOperators: boolean;
}

/** Whom a link would sign in. */
export interface Linked {
  readonly role: Role;
  /** Undefined for an operator. */
  readonly accountName: string | undefined;
  readonly expiresAt: string;
}

/** The visitor that a link would sign in, without consuming the link. Undefined if the link is invalid. */
export async function findLink(
  { database }: Operator,
  { linkToken, isForOperators }: GivenLink,
): Promise<Linked | undefined> {
  const row = await database.row("find_sign_in_link", {
    link_hash: sha256(linkToken),
    is_for_operators: isForOperators,
  });
  return (
    row && {
      role: roleOf(row.permission),
      accountName: row.account_name ?? undefined,
      expiresAt: row.expires_at,
    }
  );
}

/** Signs in with a link and consumes it. Returns the token for the cookie, or undefined if the link is invalid. */
export async function openLink(
  operator: Operator,
  { linkToken, isForOperators }: GivenLink,
): Promise<string | undefined> {
  const { database } = operator;
  const link = await database.row("use_sign_in_link", {
    link_hash: sha256(linkToken),
    is_for_operators: isForOperators,
  });
  if (link === undefined) return undefined;
  const actor = link.made_by as Actor;
  const limits = {
    name: "Console, signed in by a link",
    expires_at: new Date(Date.now() + SESSION_MS).toISOString(),
  };
  const permission = roleOf(link.permission);
  const made =
    permission === "admin"
      ? await createAdminKey(operator, limits, actor)
      : await createKey(
          operator,
          { account_id: present(link.account_id ?? undefined), permission, ...limits },
          actor,
        );
  return beginSession(database, { key: made.key, isOwnKey: true });
}

/** Ends a session, or all of its key or account. A key that was made for one ends with it. */
export async function endSessions(
  operator: Operator,
  { token, actor, member }: Pick<Session, "token" | "actor" | "member">,
  { isEverywhere }: { readonly isEverywhere: boolean },
): Promise<void> {
  if (member !== undefined) return endPersonSessions(operator.database, token, { isEverywhere });
  const ended = await operator.database.rows("end_sessions", {
    session_hash: sha256(token),
    is_everywhere: isEverywhere,
  });
  for (const { key_id: keyId, is_own_key: isOwnKey } of ended) {
    if (isOwnKey) await revokeKey(operator, { key_id: keyId }, actor);
  }
}

function roleOf(permission: string): Role {
  return permission === "admin" || permission === "write" ? permission : "read";
}

function sealing(token: string) {
  return { secret: token, purpose: PURPOSE, binding: "" };
}
