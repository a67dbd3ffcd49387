/**
 * `X-Request-Id`: the caller's own if its form is right, else a new one. Decisions 2.
 *
 * @module
 */

const VISIBLE_ASCII = /^[\x21-\x7e]{1,128}$/;

/** Every response carries it. */
export function requestIdOf(headers: Headers): string {
  const own = headers.get("x-request-id");
  return own !== null && VISIBLE_ASCII.test(own) ? own : Bun.randomUUIDv7();
}
