/**
 * Whether a client takes a compressed answer, by `Accept-Encoding`. RFC 9110, 12.5.3.
 *
 * @module
 */

/** Of the header; a longer one is taken for none. */
const HEADER_LENGTH_MAX = 256;
const WEIGHT = /^\s*q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*$/;

/** Whether gzip is acceptable, and not refused or preferred less than none. */
export function acceptsGzip(acceptEncoding: string | null): boolean {
  if (acceptEncoding === null || acceptEncoding.length > HEADER_LENGTH_MAX) return false;
  const weights = new Map<string, number>();
  for (const part of acceptEncoding.toLowerCase().split(",")) {
    const [name = "", ...parameters] = part.split(";");
    const weight = parameters.find((each) => /^\s*q\s*=/.test(each)) ?? "q=1";
    // A weight that is none counts as a refusal: an uncompressed answer is never wrong.
    weights.set(name.trim(), Number(WEIGHT.exec(weight)?.[1] ?? 0));
  }
  const gzip = weights.get("gzip") ?? weights.get("x-gzip") ?? weights.get("*") ?? 0;
  return gzip > 0 && gzip >= (weights.get("identity") ?? 0);
}
