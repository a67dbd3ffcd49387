/**
 * Who changes something, and through which face, as the audit trail names it. An actor is a value: it is passed to
 * every statement that changes something, which hands it to the triggers of the trail (`act_as`).
 *
 * @module
 */

/** The ways to Feedgate's functions: the command, the API over HTTP or MCP, and the pages at `/console`. */
export const FACES = ["shell", "api", "console"] as const;
export type Face = (typeof FACES)[number];

/**
 * The face, a colon, and `operator NAME`, `admin key NAME (ID)` or `key ID`. Null: nobody, so a trigger names the
 * database's own user.
 */
export type Actor = string & { readonly [actor]: true };
declare const actor: unique symbol;

/** `admin key NAME (ID)` as `admin key NAME` and the id, without the face. A name may hold anything. */
export const ADMIN_KEY_ACTOR = /^(admin key .*) \((\S+)\)$/s;
/** The id in `key ID`, without the face. */
export const KEY_ACTOR = /^key ([0-9a-f-]{36})$/;

/** A person at a shell of the operator's machine, by the name of the operating system's account. */
export function shellActor(userName: string): Actor {
  return actorBy("shell", `operator ${userName}`);
}

/** An operator's key, which has a name for people. */
export function adminKeyActor(
  key: { readonly keyId: string; readonly name: string },
  face: Face,
): Actor {
  return actorBy(face, `admin key ${key.name} (${key.keyId})`);
}

/** An account's key. */
export function keyActor(keyId: string, face: Face): Actor {
  return actorBy(face, `key ${keyId}`);
}

function actorBy(face: Face, who: string): Actor {
  return `${face}:${who}` as Actor;
}
