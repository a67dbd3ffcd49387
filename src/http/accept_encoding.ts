/**
 * Decides whether a client accepts a compressed answer, by `Accept-Encoding`. RFC 9110, 12.5.3.
 *
 * @module
 */

import { weightOf } from "./weight.ts";

/** Characters of the header. A longer one counts as absent. */
const HEADER_LENGTH_MAX = 256;

/** Whether the client accepts gzip, and does not prefer an uncompressed answer. */
export function acceptsGzip(acceptEncoding: string | null): boolean {
  if (acceptEncoding === null || acceptEncoding.length > HEADER_LENGTH_MAX) return false;
  let gzip: number | undefined;
  let any: number | undefined;
  let identity = 0;
  for (const part of acceptEncoding.toLowerCase().split(",")) {
    const semicolon = part.indexOf(";");
    const name = (semicolon < 0 ? part : part.slice(0, semicolon)).trim();
    const weight = semicolon < 0 ? 1 : weightOf(part);
    if (name === "gzip") gzip = weight;
    else if (name === "x-gzip") gzip ??= weight;
    else if (name === "*") any = weight;
    else if (name === "identity") identity = weight;
  }
  const weight = gzip ?? any ?? 0;
  return weight > 0 && weight >= identity;
}
