/**
 * Where a client may be answered: addresses of https, and of http on the person's own machine. Compared character for
 * character; only the port of the own machine is free. RFC 6749, 3.1.2; RFC 8252, 7.3; RFC 9700, 2.1.
 *
 * @module
 */
import { isLoopbackHost } from "../lib/public_address.ts";
import { REDIRECT_LENGTH_MAX } from "../limits.ts";

/** What a parser would leave out, or read in another way than a browser does. */
const UNSAFE = /[^\x21-\x7e]|[\\"<>^`{|}]/;

/** Why an address can't be used, to complete "redirect_uri …"; undefined if it can. */
export function faultOfRedirect(text: string): string | undefined {
  if (text.length > REDIRECT_LENGTH_MAX) return `has more than ${REDIRECT_LENGTH_MAX} characters`;
  if (UNSAFE.test(text)) return "has characters that an address has to escape";
  const url = URL.parse(text);
  if (url === null) return "is no absolute address";
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isLoopbackHost(url.hostname))) {
    return "must be one of https, or of http on localhost, 127.0.0.1 or [::1]";
  }
  // An empty one, too: what is compared must be what is opened.
  if (text.includes("#")) return "must have no fragment";
  if (/^[a-z]+:\/\/[^/?#]*@/i.test(text)) return "must name no user";
  if (!/^https?:\/\//i.test(text)) return "must begin with https:// or http://";
  return undefined;
}

/** Whether a client that registered one address may be answered at another. Both are faultless. */
export function isSameRedirect(registered: string, asked: string): boolean {
  if (registered === asked) return true;
  const [known, given] = [new URL(registered), new URL(asked)];
  if (known.protocol !== "http:" || !isLoopbackHost(known.hostname)) return false;
  // A program on the own machine takes any port that is free.
  return withoutPort(registered) === withoutPort(asked) && given.protocol === "http:";
}

function withoutPort(text: string): string {
  return text.replace(/^(http:\/\/(?:\[[^\]]*\]|[^/?:]*))(?::\d*)?/i, "$1");
}
