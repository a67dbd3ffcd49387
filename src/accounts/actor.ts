/**
 * The actor of a change, and the interface that it used, as recorded in the audit trail. An actor is a value that is
 * passed to every statement that changes something. The statement passes it to the triggers of the trail (`act_as`).
 *
 * @module
 */

/** The interfaces to Feedgate's functions: the command, the API over HTTP or MCP, and the pages at `/console`. */
export const FACES = ["shell", "api", "console"] as const;
export type Face = (typeof FACES)[number];

/**
 * The face, a colon, and `operator NAME`, `admin key NAME (ID)`, `key ID`, or `person ID`. With null, a trigger records the
 * database's own user.
 */
export type Actor = string & { readonly [actor]: true };
declare const actor: unique symbol;

/** Splits `admin key NAME (ID)` into `admin key NAME` and the id, without the face. A name may contain anything. */
export const ADMIN_KEY_ACTOR = /^(admin key .*) \((\S+)\)$/s;
/** The id in `key ID`, without the face. */
export const KEY_ACTOR = /^key ([0-9a-f-]{36})$/;

/** The id in `person ID`, without the face. */
export const PERSON_ACTOR = /^person ([0-9a-f-]{36})$/;

/** A person at a shell of the operator's machine, named by the operating system's account. */
export function shellActor(userName: string): Actor {
  return actorBy("shell", `operator ${userName}`);
}

/** An operator's key, which has a readable name. */
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

/** A person who is signed in. The name is omitted, because nothing can be removed from the trail. */
export function personActor(personId: string): Actor {
  return actorBy("console", `person ${personId}`);
}

function actorBy(face: Face, who: string): Actor {
  return `${face}:${who}` as Actor;
}
