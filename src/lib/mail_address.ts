/**
 * One email address as people type it: `local@domain`, without a display name, quotes, or comments.
 *
 * The rules are stricter than RFC 5321, so that an accepted address can stand in a header and in an SMTP command as it
 * is: the local part is a dot-atom in ASCII, and the domain is a host name with a dot, not an address literal.
 *
 * @module
 */
import { domainToASCII } from "node:url";

export interface MailAddress {
  /** The local part as typed, and the domain in ASCII and lower case. Mail goes here. */
  readonly address: string;
  /** The address in lower case. Two addresses are the same if their keys are. */
  readonly key: string;
}

/** RFC 5321, sections 4.5.3.1.1 and 4.5.3.1.3, without the angle brackets of a path. */
const ADDRESS_LENGTH_MAX = 254;
const LOCAL_LENGTH_MAX = 64;
/** `dot-atom-text` of RFC 5322. */
const LOCAL_PART = /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*$/;
/** Letters, marks and digits of any script. Excludes what `domainToASCII` decodes or maps to other punctuation. */
const TYPED_DOMAIN = /^[\p{L}\p{M}\p{N}.-]+$/u;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const ONLY_DIGITS = /^\d+$/;

/** Undefined if the text, without surrounding white space, is not exactly one address. */
export function parseMailAddress(text: string): MailAddress | undefined {
  const typed = text.trim();
  const place = typed.lastIndexOf("@");
  const local = typed.slice(0, Math.max(place, 0));
  const domain = domainOf(typed.slice(place + 1));
  if (place < 1 || domain === undefined) return undefined;
  if (local.length > LOCAL_LENGTH_MAX || !LOCAL_PART.test(local)) return undefined;
  const address = `${local}@${domain}`;
  if (address.length > ADDRESS_LENGTH_MAX) return undefined;
  return { address, key: address.toLowerCase() };
}

function domainOf(typed: string): string | undefined {
  if (typed.length > ADDRESS_LENGTH_MAX || !TYPED_DOMAIN.test(typed)) return undefined;
  const labels = domainToASCII(typed).split(".");
  if (labels.length < 2 || !labels.every((label) => LABEL.test(label))) return undefined;
  // No top-level domain is a number, but the last part of an IPv4 address is.
  if (ONLY_DIGITS.test(labels.at(-1) ?? "")) return undefined;
  return labels.join(".");
}
