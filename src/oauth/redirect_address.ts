/**
 * Addresses at which a client may be answered: https, http on the user's own machine, and private schemes that a
 * program there has registered, such as `cursor://host/path` or `com.example.app:/path`. They are compared character
 * for character, except for the port on the user's own machine. RFC 6749, 3.1.2; RFC 8252, 7.1 and 7.3; RFC 9700, 2.1.
 *
 * @module
 */
import { isLoopbackHost } from "../lib/public_address.ts";
import { REDIRECT_LENGTH_MAX } from "../limits.ts";

/** Characters that a parser would drop, or interpret differently from a browser. */
const UNSAFE = /[^\x21-\x7e]|[\\"<>^`{|}]/;

/** The characters of a host. Others, such as `;` and `,`, would end a source in the consent page's policy. */
const HOST = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])$/;
/**
 * The scheme of a reversed domain contains a dot. Any other must be followed by an authority, as `data:` and
 * `javascript:` never are.
 */
const PRIVATE_USE = /^[a-z][a-z0-9+-]*(?:(?:\.[a-z0-9+-]+)+:|:\/\/[^/?#])/;
/** Schemes that a browser or system interprets itself, or passes to a program that was not built for this. */
const TAKEN_SCHEMES: ReadonlySet<string> = new Set(
  `about acap afp android-app blob callto cid content data dav dns facetime feed file filesystem finger ftp ftps geo git
  gopher help hcp http https imap intent irc ircs itms itms-apps itms-services jar javascript jnlp ldap ldaps livescript
  magnet mailto maps market mhtml mid mk mocha news nfs nntp pop rdp res resource rlogin rsync rtsp sftp shell sip sips
  smb sms smsto snews ssh svn tel telnet tn3270 urn vbscript view-source vnc wais webcal ws wss wyciwyg xmpp`.split(
    /\s+/,
  ),
);
/**
 * Families of such schemes: pages of browsers, their extensions, and schemes that Windows passes to its own programs.
 */
const TAKEN_FAMILY = /^(?:chrome|edge|microsoft|moz|ms|safari|search)(?:-|$)/;

/** Why an address can't be used, to complete "redirect_uri …". Undefined if it can. */
export function faultOfRedirect(text: string): string | undefined {
  if (text.length > REDIRECT_LENGTH_MAX) return `has more than ${REDIRECT_LENGTH_MAX} characters`;
  if (UNSAFE.test(text)) return "contains characters that must be escaped";
  const url = URL.parse(text);
  if (url === null) return "is not an absolute URL";
  const scheme = url.protocol.slice(0, -1);
  const isPrivateUse =
    PRIVATE_USE.test(text) && !TAKEN_SCHEMES.has(scheme) && !TAKEN_FAMILY.test(scheme);
  const isLocal = url.protocol === "http:" && isLoopbackHost(url.hostname);
  if (url.protocol !== "https:" && !isLocal && !isPrivateUse) {
    return "must use https, http on localhost, 127.0.0.1 or [::1], or a private scheme such as com.example.app:/path";
  }
  // An empty fragment is also refused, because the address that is compared must be the one that is opened.
  if (text.includes("#")) return "must not contain a fragment";
  if (/^[^:]+:\/\/[^/?#]*@/.test(text)) return "must not contain a user name";
  if (!isPrivateUse && !/^https?:\/\//i.test(text)) return "must begin with https:// or http://";
  const isNamed = !isPrivateUse || url.host !== "";
  if (isNamed && !HOST.test(url.hostname))
    return "must have a host of letters, digits, dots and hyphens";
  return undefined;
}

/** Whether a client that registered one address may be answered at another. Both must be valid. */
export function isSameRedirect(registered: string, asked: string): boolean {
  if (registered === asked) return true;
  const [known, given] = [new URL(registered), new URL(asked)];
  if (known.protocol !== "http:" || !isLoopbackHost(known.hostname)) return false;
  // A program on the user's own machine may use any free port.
  return withoutPort(registered) === withoutPort(asked) && given.protocol === "http:";
}

function withoutPort(text: string): string {
  return text.replace(/^(http:\/\/(?:\[[^\]]*\]|[^/?:]*))(?::\d*)?/i, "$1");
}
