/**
 * Weak entity tags and `If-None-Match`. RFC 9110, 8.8.3 and 13.1.2.
 *
 * @module
 */

/** A member of the list. */
const LISTED = /(?:^|,)[ \t]*(?:W\/)?("[^"]*")[ \t]*(?=,|$)/g;

/** A weak tag of what an answer shows; never made of a key or of `_origin`. */
export function weakTag(content: string): string {
  return `W/"${new Bun.CryptoHasher("sha1").update(content).digest("base64url")}"`;
}

/** Whether `If-None-Match` names the tag: `*`, or a list; weak comparison ignores `W/`. */
export function matchesTag(ifNoneMatch: string | null, tag: string): boolean {
  if (ifNoneMatch === null) return false;
  if (ifNoneMatch.trim() === "*") return true;
  const opaque = tag.replace(/^W\//, "");
  return ifNoneMatch.matchAll(LISTED).some(([, listed]) => listed === opaque);
}
