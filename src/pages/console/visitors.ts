/**
 * Who is signed in, for a page that looks like the console's and lies elsewhere: the consent to an agent. Beyond 14.
 *
 * @module
 */
import { hashOfToken } from "../../operator/sign_in_links.ts";
import { type SessionServices, sessionOf } from "./sessions.ts";

export function consoleVisitors(services: SessionServices) {
  return {
    /** Undefined if nobody is signed in. */
    async find(request: Request) {
      const session = await sessionOf(services, request);
      if (session === undefined) return undefined;
      const { role: permission, keyId, account, isOwnKey } = session;
      return {
        // Names the session, and does not give it away.
        sessionMark: Buffer.from(hashOfToken(session.token)).toString("base64url"),
        permission,
        keyId,
        accountId: account?.id,
        accountName: account?.name ?? "",
        isOwnKey,
      };
    },
    /** The page that asks for a sign-in and then goes on to a path of this gateway. */
    signInAddress: (path: string) =>
      `${services.http.baseUrl()}/console/sign-in?${new URLSearchParams({ next: path })}`,
  };
}

/** The consent, or a page of the console, but for those that sign somebody in or out. */
const NEXT =
  /^\/(?:oauth\/authorize\?|console(?!\/(?:link|sign-))(?:\/[\w-]+){0,4}(?:\?|$))[\x21-\x7e]{0,8000}$/;

/** Where a sign-in goes on. An address can name nothing but the consent and pages of the console. */
export function nextOf(given: string | null | undefined): string | undefined {
  return given && NEXT.test(given) ? given : undefined;
}
