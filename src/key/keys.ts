/**
 * Who calls: the key of a request, looked up by its hash.
 *
 * A key that was found once is remembered, since its account and permission never change. Whether it
 * is still usable is never remembered: admission checks that in the statement that counts, and a
 * refusal for any other reason is proven first (`prove`). Decisions 3.
 *
 * @module
 */

import type { Call } from "../http/call.ts";
import { Problem } from "../http/errors.ts";
import { BoundedMap } from "../lib/bounded_map.ts";
import type { MaybePromise } from "../lib/maybe_promise.ts";
import { KNOWN_KEYS_MAX } from "../limits.ts";
import type { Database } from "../postgres/client/query.ts";
import { hashKey, type Permission, permissionOf } from "./key_format.ts";

/** The caller, as its key tells. */
export interface Principal {
  readonly keyId: string;
  readonly accountId: string;
  readonly permission: Permission;
  readonly keyHash: Uint8Array;
}

export class Keys {
  readonly #database: Database;
  readonly #known = new BoundedMap<string, Principal>(KNOWN_KEYS_MAX);
  readonly #used = new Set<string>();

  constructor(database: Database) {
    this.#database = database;
  }

  /**
   * The caller of a consumer route (`read`) or a provider route (`write`), noted for the log.
   * @throws {Problem} 401 `KEY_REQUIRED`; `KEY_INVALID` (403 for `read`, 401 for `write`); 403 `KEY_PERMISSION`.
   */
  authenticate(call: Call, permission: Permission): MaybePromise<Principal> {
    const { headers } = call.request;
    const key = permission === "read" ? readKeyOf(headers) : bearerOf(headers);
    if (key === undefined) throw keyRequired(permission);
    const remembered = this.#known.get(markOf(key));
    // Nearly every call: without waiting for anything.
    if (remembered?.permission === permission) return this.#noteUse(call, remembered);
    return this.#identify(call, key, permission);
  }

  /** Asks the database whether the key is usable now. @throws {Problem} `KEY_INVALID` */
  async prove({ accountId, keyHash, permission }: Principal, asked = permission): Promise<void> {
    const row = await this.#database.onBehalfOf(accountId).row("find_key", [keyHash]);
    if (row === undefined || !row.is_usable) throw keyInvalid(asked);
  }

  /** Runs `work`; where it refuses, the key is proven first, since a bad key is told before all else. */
  async provenOnRefusal<Result>(
    principal: Principal,
    work: () => Result | Promise<Result>,
  ): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof Problem) await this.prove(principal);
      throw error;
    }
  }

  /** What a key that was refused was known by; its next use is looked up. */
  forget({ keyHash }: Principal): void {
    this.#known.delete(Buffer.from(keyHash).toString("base64"));
  }

  /** Writes down which keys were used since the last call. */
  async flushUses(): Promise<void> {
    if (this.#used.size === 0) return;
    const keyIds = [...this.#used];
    this.#used.clear();
    try {
      await this.#database.rows("touch_keys", [keyIds]);
    } catch (error) {
      for (const keyId of keyIds) this.#used.add(keyId);
      throw error;
    }
  }

  /** From the database. @throws {Problem} `KEY_INVALID`, `KEY_PERMISSION` */
  async #identify(call: Call, key: string, permission: Permission): Promise<Principal> {
    const principal = this.#known.get(markOf(key)) ?? (await this.#find(key, permission));
    if (principal.permission !== permission) {
      note(call, principal);
      await this.prove(principal, permission);
      throw new Problem("KEY_PERMISSION", {
        detail: `This route needs a ${permission} key and got a ${principal.permission} key; send your ${permission} key.`,
      });
    }
    return this.#noteUse(call, principal);
  }

  async #find(key: string, permission: Permission): Promise<Principal> {
    if (permissionOf(key) === undefined) throw keyInvalid(permission);
    const keyHash = hashKey(key);
    const row = await this.#database.row("find_key", [keyHash]);
    if (row === undefined || !row.is_usable) throw keyInvalid(permission);
    const principal: Principal = {
      keyId: row.key_id,
      accountId: row.account_id,
      permission: row.permission as Permission,
      keyHash,
    };
    this.#known.set(markOf(key), principal);
    return principal;
  }

  #noteUse(call: Call, principal: Principal): Principal {
    note(call, principal);
    if (this.#used.size < KNOWN_KEYS_MAX) this.#used.add(principal.keyId);
    return principal;
  }
}

function note({ subject }: Call, { accountId, keyId }: Principal): void {
  subject.accountId = accountId;
  subject.keyId = keyId;
}

/** The key's hash as text, to remember it by; the key itself is kept nowhere. */
function markOf(key: string): string {
  return Bun.SHA256.hash(key, "base64");
}

/** `x-api-key` wins where both headers are sent. Decisions 3. */
function readKeyOf(headers: Headers): string | undefined {
  return headers.get("x-api-key")?.trim() || bearerOf(headers);
}

/** The token of `Authorization: Bearer …`, RFC 6750; the scheme's name in any case. */
function bearerOf(headers: Headers): string | undefined {
  const value = headers.get("authorization");
  if (value === null) return undefined;
  return /^bearer +(\S+)\s*$/i.exec(value)?.[1];
}

function keyRequired(permission: Permission): Problem {
  const detail =
    permission === "read"
      ? "Send your read key as x-api-key or as Authorization: Bearer."
      : "Send your write key as Authorization: Bearer.";
  return new Problem("KEY_REQUIRED", { detail });
}

/** For a key that is unknown, or no longer holds. */
export function keyInvalid(permission: Permission): Problem {
  return new Problem("KEY_INVALID", {
    // A provider that shows a wrong key is not authenticated; a consumer is not let in. Interface 7.
    status: permission === "read" ? 403 : 401,
    detail: "The key is unknown, revoked or expired; check it, or ask the operator for a new one.",
  });
}
