/**
 * UUIDs, accepted in any case and used in one canonical form.
 *
 * @module
 */

const FORM = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The UUID in lower case. Undefined if the text is not a UUID. RFC 9562. */
export function parseUuid(text: string): string | undefined {
  return FORM.test(text) ? text.toLowerCase() : undefined;
}
