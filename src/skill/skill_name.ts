/**
 * The name of a feed's skill and its folder: `feed-` and the slug, at most 64 characters of lower-case letters, digits,
 * and single hyphens.
 *
 * @module
 */

const NAME_LENGTH_MAX = 64;
const DIGEST_LENGTH = 8;

/** A slug that must be changed gets a digest, so that two feeds never have the same name. */
export function skillName(endpointPath: string): string {
  const plain = `feed-${endpointPath}`;
  const single = plain.replace(/-{2,}/g, "-");
  if (single === plain && plain.length <= NAME_LENGTH_MAX) return plain;
  const digest = new Bun.CryptoHasher("sha256").update(endpointPath).digest("hex");
  const kept = single.slice(0, NAME_LENGTH_MAX - DIGEST_LENGTH - 1).replace(/-$/, "");
  return `${kept}-${digest.slice(0, DIGEST_LENGTH)}`;
}
