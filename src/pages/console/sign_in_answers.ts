/**
 * What the ways of signing in share: the form and where the sign-in goes on, the sign-in page and refusals, and the
 * address that a browser has proven, with where it leads. See `src/spec/beyond.md`, sections 5 and 16.
 *
 * @module
 */
import type { RoutedCall } from "../../http/call.ts";
import { urlOf } from "../../http/query_string.ts";
import { findProof } from "../../people/address_proofs.ts";
import { enterByProof } from "../../people/join.ts";
import { enterAccount, listMemberships } from "../../people/person_sessions.ts";
import type { Services } from "../../services.ts";
import { rootOf } from "../layout/page.tsx";
import { privatePageHeaders } from "../layout/page_headers.ts";
import { cookieOf, cookieValue, isOverTls, PROOF_COOKIE } from "./cookie.ts";
import { readForm } from "./forms.ts";
import type { PageAnswers, Routed } from "./page_answers.ts";
import { messageOf } from "./page_messages.tsx";
import { SignInTries } from "./sign_in_tries.ts";
import { notSignedInView, queryOf, signInView } from "./sign_in_views.tsx";
import { nextOf } from "./visitors.ts";
import { waitingAgent } from "./waiting_agent.ts";

/** Where a sign-in is. */
export interface Place {
  readonly root: string;
  readonly next: string | undefined;
}

interface SignInAgain {
  readonly why?: string | undefined;
  readonly status?: number;
  readonly address?: string;
  /** What was done before, in a sentence. */
  readonly done?: string | undefined;
}

/** Where a person goes on who is signed in or may join. */
type GoOn = { readonly kind: "to"; readonly to: string; readonly cookies: readonly string[] };

/** Where a proven address leads. */
type Entry = GoOn | { readonly kind: "refused"; readonly why: string };

/** Why an address is refused that belongs to a person who signs in otherwise. */
export const OTHER_SUBJECT =
  "This address is linked to a different sign-in. Sign in with a code by email, or contact the operator.";

/** The console's answers, and those of the ways to sign in. */
export type SignInAnswers = ReturnType<typeof signInAnswers>;

export function signInAnswers(services: Services, answers: PageAnswers) {
  const { config, database } = services;
  const { page, sessionCookie } = answers;
  // Of keys and codes together.
  const tries = new SignInTries();
  const ways = {
    hasMail: config.mail !== undefined,
    openId: config.oidc?.name,
    isOpen: config.signUp.mode === "open",
  };

  /** The form of somebody who signs in, and where the sign-in is. @throws {Problem} 413, 503 */
  async function readSignIn({ call, server = null }: Routed) {
    const form = await readForm(services, call, { server });
    return { form, place: placeOf(call, form.text("next")) };
  }

  /** The sign-in page, with why it is shown again. */
  async function signInPage(
    call: RoutedCall,
    place: Place,
    { why, status = 200, address, done }: SignInAgain = {},
  ): Promise<Response> {
    const waiting = await waitingAgent(database, place.next);
    const view = signInView({ ...place, ways, waiting, ...(address !== undefined && { address }) });
    // The provider's button leads to another site, which the browser allows only if the policy names it.
    const headers =
      config.oidc && privatePageHeaders({ formTarget: formTargetOf(config.oidc.issuer) });
    return page(call, {
      view,
      message: messageOf("bad", why) ?? messageOf("good", done),
      status,
      ...(headers && { headers }),
    });
  }

  function refusedPage(call: RoutedCall, why: string, status = 403): Response {
    const view = notSignedInView(rootOf(urlOf(call.request).pathname), why);
    return page(call, { view, status });
  }

  function proofCookie({ request }: RoutedCall, token: string | undefined): string {
    return cookieOf(PROOF_COOKIE, token, isOverTls(services, request));
  }

  /** The proof of an address that the browser holds, unless it is used or over. */
  async function heldProof({ request }: RoutedCall) {
    const token = cookieValue(request.headers, PROOF_COOKIE, isOverTls(services, request));
    const proof = token === undefined ? undefined : await findProof(database, token);
    return token !== undefined && proof !== undefined ? { token, ...proof } : undefined;
  }

  /** Goes on as a person who has just signed in: in its only account, or to the choice of one. */
  async function goOnAs(
    call: RoutedCall,
    { root, next }: Place,
    { token, personId }: { readonly token: string; readonly personId: string },
  ): Promise<GoOn> {
    const cookies = [sessionCookie(call, token), proofCookie(call, undefined)];
    // The consent asks which account pays.
    if (next?.startsWith("/oauth/")) return { kind: "to", to: root + next, cookies };
    const open = (await listMemberships(database, personId)).filter(
      ({ suspensionReason }) => suspensionReason === undefined,
    );
    const [only] = open;
    if (only !== undefined && open.length === 1) {
      const outcome = await enterAccount(database, { token, accountId: only.account.id });
      if (outcome === "entered") return { kind: "to", to: `${root}${next ?? "/console"}`, cookies };
    }
    return { kind: "to", to: `${root}/console/choose${queryOf(next)}`, cookies };
  }

  /** Signs in the person of a proven address, or has a new one join. */
  async function enter(call: RoutedCall, place: Place, token: string): Promise<Entry> {
    const entered = await enterByProof(database, token);
    switch (entered.kind) {
      case "entered":
        return goOnAs(call, place, entered);
      case "new":
        return {
          kind: "to",
          to: `${place.root}/console/join${queryOf(place.next)}`,
          cookies: [proofCookie(call, token)],
        };
      case "other_subject":
        return { kind: "refused", why: OTHER_SUBJECT };
      case "over":
        return {
          kind: "refused",
          why: "This sign-in has expired or was already used. Start again.",
        };
    }
  }

  return {
    ...answers,
    tries,
    readSignIn,
    signInPage,
    refusedPage,
    proofCookie,
    heldProof,
    goOnAs,
    enter,
  };
}

/** The place of a request's sign-in, which goes on to `next` if that may be. */
export function placeOf({ request }: RoutedCall, next: string | null | undefined): Place {
  return { root: rootOf(urlOf(request).pathname), next: nextOf(next) };
}

/** A provider's first page may lead to others, under any host. */
function formTargetOf(issuer: string): string {
  const { protocol, origin } = new URL(issuer);
  return protocol === "https:" ? "https:" : origin;
}
