/**
 * Who changes something, as the audit trail names it. An actor is a value: it is passed to every statement that
 * changes something, which hands it to the triggers of the trail (`act_as`).
 *
 * @module
 */

/** `operator NAME`, `admin key NAME (ID)` or `key ID`. Null: nobody, so a trigger names the database's own user. */
export type Actor = string & { readonly [actor]: true };
declare const actor: unique symbol;

/** A person at a shell of the operator's machine, by the name of the operating system's account. */
export function shellActor(userName: string): Actor {
  return `operator ${userName}` as Actor;
}

/** An operator's key, which has a name for people. */
export function adminKeyActor(key: { readonly keyId: string; readonly name: string }): Actor {
  return `admin key ${key.name} (${key.keyId})` as Actor;
}

/** An account's key. */
export function keyActor(keyId: string): Actor {
  return `key ${keyId}` as Actor;
}
