/**
 * Weak entity tags and `If-None-Match`. RFC 9110, 8.8.3 and 13.1.2.
 *
 * @module
 */

/** An entity tag in the header's list. */
const LISTED = /(?:^|,)[ \t]*(?:W\/)?("[^"]*")[ \t]*(?=,|$)/g;

/** A weak tag of an answer's content. The content must not include the key or `_origin`. */
export function weakTag(content: string): string {
  return `W/"${new Bun.CryptoHasher("sha1").update(content).digest("base64url")}"`;
}

/** Whether `If-None-Match` is `*`, which matches whatever there is. */
export function isAnyTag(ifNoneMatch: string | null): boolean {
  return ifNoneMatch?.trim() === "*";
}

/** Whether `If-None-Match` matches the tag. It is `*` or a list, and the comparison ignores `W/`. */
export function matchesTag(ifNoneMatch: string | null, tag: string): boolean {
  if (ifNoneMatch === null) return false;
  if (isAnyTag(ifNoneMatch)) return true;
  const opaque = tag.replace(/^W\//, "");
  return ifNoneMatch.matchAll(LISTED).some(([, listed]) => listed === opaque);
}
