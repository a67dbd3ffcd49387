/**
 * Where a client may be answered: addresses of https, of http on the person's own machine, and of a scheme that a
 * program on it has registered for itself, such as `cursor://host/path` or `com.example.app:/path`. Compared character
 * for character; only the port of the own machine is free. RFC 6749, 3.1.2; RFC 8252, 7.1 and 7.3; RFC 9700, 2.1.
 *
 * @module
 */
import { isLoopbackHost } from "../lib/public_address.ts";
import { REDIRECT_LENGTH_MAX } from "../limits.ts";

/** What a parser would leave out, or read in another way than a browser does. */
const UNSAFE = /[^\x21-\x7e]|[\\"<>^`{|}]/;

/** A host's characters. Others, such as `;` and `,`, would end a source in the consent page's policy. */
const HOST = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])$/;
/** A reversed domain's scheme has a dot; any other must name an authority, as `data:` and `javascript:` never do. */
const PRIVATE_USE = /^[a-z][a-z0-9+-]*(?:(?:\.[a-z0-9+-]+)+:|:\/\/[^/?#])/;
/** What a browser or a system reads itself, or hands to a program that was not made for this. */
const TAKEN_SCHEMES: ReadonlySet<string> = new Set(
  `about acap afp android-app blob callto cid content data dav dns facetime feed file filesystem finger ftp ftps geo git
  gopher help hcp http https imap intent irc ircs itms itms-apps itms-services jar javascript jnlp ldap ldaps livescript
  magnet mailto maps market mhtml mid mk mocha news nfs nntp pop rdp res resource rlogin rsync rtsp sftp shell sip sips
  smb sms smsto snews ssh svn tel telnet tn3270 urn vbscript view-source vnc wais webcal ws wss wyciwyg xmpp`.split(
    /\s+/,
  ),
);
/** Families of them: pages of browsers, their extensions, and what Windows hands to its own programs. */
const TAKEN_FAMILY = /^(?:chrome|edge|microsoft|moz|ms|safari|search)(?:-|$)/;

/** Why an address can't be used, to complete "redirect_uri …"; undefined if it can. */
export function faultOfRedirect(text: string): string | undefined {
  if (text.length > REDIRECT_LENGTH_MAX) return `has more than ${REDIRECT_LENGTH_MAX} characters`;
  if (UNSAFE.test(text)) return "has characters that an address has to escape";
  const url = URL.parse(text);
  if (url === null) return "is no absolute address";
  const scheme = url.protocol.slice(0, -1);
  const isPrivateUse =
    PRIVATE_USE.test(text) && !TAKEN_SCHEMES.has(scheme) && !TAKEN_FAMILY.test(scheme);
  const isLocal = url.protocol === "http:" && isLoopbackHost(url.hostname);
  if (url.protocol !== "https:" && !isLocal && !isPrivateUse) {
    return "must be one of https, of http on localhost, 127.0.0.1 or [::1], or of a program's own scheme such as com.example.app:/path";
  }
  // An empty one, too: what is compared must be what is opened.
  if (text.includes("#")) return "must have no fragment";
  if (/^[^:]+:\/\/[^/?#]*@/.test(text)) return "must name no user";
  if (!isPrivateUse && !/^https?:\/\//i.test(text)) return "must begin with https:// or http://";
  const isNamed = !isPrivateUse || url.host !== "";
  if (isNamed && !HOST.test(url.hostname))
    return "must name a host of letters, digits, dots and hyphens";
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
