/**
 * Finds the caller of a request by its key.
 *
 * A key that was found is cached with its account (`admission/known_accounts.ts`). It may be revoked later. The
 * statement that logs a read checks that, and `prove` does before any other answer. See `src/spec/decisions.md`,
 * section 3.
 *
 * @module
 */

import type { Whose } from "../../accounts/agents.ts";
import {
  hashKey,
  type KeyPermission,
  type Permission,
  permissionOf,
} from "../../accounts/key_format.ts";
import type { Admission } from "../../admission/admission.ts";
import type { Caller } from "../../admission/known_accounts.ts";
import type { Call } from "../../http/call.ts";
import { Problem, unavailable } from "../../http/problem_details.ts";
import { KNOWN_KEYS_MAX } from "../../limits.ts";
import { type Database, DatabaseUnavailableError } from "../../postgres/client/database.ts";
import { accountSuspended, keyInvalid } from "../problems/call_refusals.ts";

/** The caller that a key identifies. */
export interface Principal {
  readonly keyId: string;
  readonly accountId: string;
  readonly permission: Permission;
  readonly caller: Caller;
}

export class Keys {
  readonly #database: Database;
  readonly #admission: Admission;
  /** When each key was last used, in milliseconds on the process's monotonic clock. */
  readonly #used = new Map<string, number>();

  constructor(database: Database, admission: Admission) {
    this.#database = database;
    this.#admission = admission;
  }

  /**
   * The caller of a consumer route (`read`) or a provider route (`write`), recorded for the log.
   * @throws {Problem} 401 `KEY_REQUIRED`; `KEY_INVALID` (403 for `read`, 401 for `write`); 403 `KEY_PERMISSION`,
   * `ACCOUNT_SUSPENDED`.
   * @param onLookUp called if the key is well-formed and has to be looked up
   */
  async authenticate(
    call: Call,
    permission: Permission,
    onLookUp?: () => void,
  ): Promise<Principal> {
    const { headers } = call.request;
    const key = permission === "read" ? readKeyOf(headers) : bearerOf(headers);
    if (key === undefined) throw keyRequired(permission);
    const principal = await this.#principalOf(key, permission, onLookUp);
    call.subject.accountId = principal.accountId;
    call.subject.keyId = principal.keyId;
    if (principal.permission !== permission) {
      await this.prove(principal, permission);
      throw wrongPermission(permission, principal.permission);
    }
    this.#noteUse(principal.keyId, performance.now());
    return principal;
  }

  /**
   * The caller that a key identifies now, for a sign-in. This is not a call of a route, so it is not counted.
   * @throws {Problem} as `authenticate`
   */
  async identify(key: string, permission: Permission): Promise<Principal> {
    const principal = await this.#principalOf(key, permission);
    await this.prove(principal);
    this.#noteUse(principal.keyId, performance.now());
    return principal;
  }

  /**
   * The caller of an operator route, by an admin key. Admin keys are looked up each time, without a cache.
   * @throws {Problem} 401 `KEY_REQUIRED`, `KEY_INVALID`; 403 `KEY_PERMISSION`, `ACCOUNT_SUSPENDED`
   */
  async authenticateOperator(
    call: Call,
  ): Promise<{ readonly keyId: string; readonly name: string; readonly key: string }> {
    const key = bearerOf(call.request.headers);
    if (key === undefined) throw keyRequired("admin");
    if (permissionOf(key) !== "admin") {
      const { permission } = await this.#find(key, "write");
      throw wrongPermission("admin", permission);
    }
    const row = await this.#database.row("find_admin_key", { key_hash: hashKey(key) });
    if (row === undefined) throw keyInvalid("write");
    call.subject.keyId = row.key_id;
    return { keyId: row.key_id, name: row.name, key };
  }

  /**
   * Finds the caller by the key of a request. Undefined if the key is missing or unknown, or can't be looked up now.
   * Routes decide what the key may do.
   */
  async findCaller(headers: Headers): Promise<Caller | undefined> {
    const key = readKeyOf(headers);
    if (key === undefined) return undefined;
    try {
      return this.#admission.remembered(markOf(key)) ?? (await this.#find(key, "read"));
    } catch (error) {
      if (error instanceof Problem || error instanceof DatabaseUnavailableError) return undefined;
      throw error;
    }
  }

  /** Checks in the database whether the key is usable now. @throws {Problem} `KEY_INVALID`, 503 */
  async prove({ caller }: Principal, asked = caller.permission): Promise<void> {
    const proof = await this.#admission.prove(caller);
    if (proof.kind === "proof") return;
    if (proof.kind === "key_refused") throw keyInvalid(asked);
    if (proof.kind === "suspended") throw accountSuspended(proof);
    throw unavailable("Too many calls are waiting. Try again in a second.");
  }

  /** Records which keys were used since the last call. */
  async flushUses(): Promise<void> {
    if (this.#used.size === 0) return;
    const used = [...this.#used];
    this.#used.clear();
    const nowMs = performance.now();
    try {
      await this.#database.rows("touch_keys", {
        key_ids: used.map(([keyId]) => keyId),
        ages_ms: used.map(([, usedMs]) => BigInt(Math.round(nowMs - usedMs))),
      });
    } catch (error) {
      for (const [keyId, usedMs] of used) {
        if (!this.#used.has(keyId)) this.#noteUse(keyId, usedMs);
      }
      throw error;
    }
  }

  #noteUse(keyId: string, usedMs: number): void {
    if (this.#used.size < KNOWN_KEYS_MAX || this.#used.has(keyId)) this.#used.set(keyId, usedMs);
  }

  async #principalOf(
    key: string,
    permission: Permission,
    onLookUp?: () => void,
  ): Promise<Principal> {
    const caller =
      this.#admission.remembered(markOf(key)) ?? (await this.#find(key, permission, onLookUp));
    const { keyId, account } = caller;
    return { keyId, accountId: account.id, permission: caller.permission, caller };
  }

  async #find(key: string, permission: Permission, onLookUp?: () => void): Promise<Caller> {
    const claimed = permissionOf(key);
    if (claimed === undefined) throw keyInvalid(permission, { isQuoted: QUOTED.test(key) });
    if (claimed === "admin") {
      const admin = await this.#database.row("find_admin_key", { key_hash: hashKey(key) });
      throw admin === undefined ? keyInvalid(permission) : wrongPermission(permission, claimed);
    }
    onLookUp?.();
    const caller = await this.#admission.identify(markOf(key), hashKey(key));
    if (caller === undefined) throw keyInvalid(permission);
    if (caller.kind === "suspended") throw accountSuspended(caller);
    return caller;
  }
}

/** Quotes that a shell or a settings file was meant to remove, including typographic ones. */
const QUOTED = /^["'`\u2018-\u201f]|["'`\u2018-\u201f]$/;

/** The agents and calls that the caller may see: all of its account's, or only its own if it is an agent. */
export function whoseOf({ accountId, caller }: Principal): Whose {
  return { accountId, chainId: caller.isAgent ? caller.chainId : null };
}

/** The key's hash as text, which is the cache key. The key itself is not stored. */
function markOf(key: string): string {
  return Bun.SHA256.hash(key, "base64");
}

/** If both headers are sent, `x-api-key` counts, with or without the prefix `Bearer`. */
export function readKeyOf(headers: Headers): string | undefined {
  return headers.get("x-api-key")?.trim().replace(SCHEME, "") || bearerOf(headers);
}
const SCHEME = /^bearer +/i;

/** The token of `Authorization: Bearer …`, RFC 6750. The scheme's name is case-insensitive. */
export function bearerOf(headers: Headers): string | undefined {
  const value = headers.get("authorization");
  if (value === null) return undefined;
  return /^bearer +(\S+)\s*$/i.exec(value)?.[1];
}

function wrongPermission(needed: KeyPermission, got: KeyPermission): Problem {
  return new Problem("KEY_PERMISSION", {
    detail: `This route needs ${articled(needed)} key and got ${articled(got)} key. Send your ${needed} key.`,
  });
}

function articled(permission: KeyPermission): string {
  return `${permission === "admin" ? "an" : "a"} ${permission}`;
}

function keyRequired(permission: KeyPermission): Problem {
  const ways =
    permission === "read" ? "x-api-key or as Authorization: Bearer" : "Authorization: Bearer";
  const detail = `This route needs ${articled(permission)} key. Send yours as ${ways}.`;
  return new Problem("KEY_REQUIRED", { detail });
}
