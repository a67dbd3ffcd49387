/**
 * Identifies the signed-in visitor for a page that looks like the console's but has a different address: the consent to
 * an agent. See `src/spec/beyond.md`, section 14.
 *
 * @module
 */
import { personActor } from "../../accounts/actor.ts";
import { sha256 } from "../../lib/token.ts";
import { listMemberships } from "../../people/person_sessions.ts";
import { type SessionServices, visitorOf } from "./sessions.ts";

export function consoleVisitors(services: SessionServices) {
  return {
    /** Undefined if nobody is signed in. */
    async find(request: Request) {
      const { session, person } = await visitorOf(services, request);
      const member = person ?? session?.member;
      const token = person?.token ?? session?.token;
      if (token === undefined) return undefined;
      // Names the session, and does not give it away.
      const sessionMark = Buffer.from(sha256(token)).toString("base64url");
      if (member !== undefined) {
        const owned = (await listMemberships(services.database, member.id))
          .filter(
            ({ role, suspensionReason }) => role === "owner" && suspensionReason === undefined,
          )
          .map(({ account }) => account);
        const current = session?.account?.id;
        return {
          sessionMark,
          actor: personActor(member.id),
          isPerson: true,
          key: undefined,
          // That of the session first.
          payers: owned.toSorted((a, b) => Number(b.id === current) - Number(a.id === current)),
        };
      }
      if (session === undefined) return undefined;
      const { role, keyId, account, isOwnKey, actor } = session;
      return {
        sessionMark,
        actor,
        isPerson: false,
        key: { keyId, isOwnKey },
        payers: role === "read" && account !== undefined ? [account] : [],
      };
    },
    /** The page that asks for a sign-in and then goes on to a path of this gateway. */
    signInAddress: (path: string) =>
      `${services.http.baseUrl()}/console/sign-in?${new URLSearchParams({ next: path })}`,
  };
}

/** The consent, or a page of the console, but for those that sign somebody in or out. */
const NEXT =
  /^\/(?:oauth\/authorize\?|console(?!\/(?:link|join|sign-))(?:\/[\w-]+){0,4}(?:\?|$))[\x21-\x7e]{0,8000}$/;

/** Where a sign-in goes on. An address can name nothing but the consent and pages of the console. */
export function nextOf(given: string | null | undefined): string | undefined {
  return given && NEXT.test(given) ? given : undefined;
}
