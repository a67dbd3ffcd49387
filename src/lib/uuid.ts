/**
 * UUIDs as callers write them: any case, one canonical form inside.
 *
 * @module
 */

const FORM = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The UUID in lower case; undefined if the text is none. RFC 9562. */
export function parseUuid(text: string): string | undefined {
  return FORM.test(text) ? text.toLowerCase() : undefined;
}
