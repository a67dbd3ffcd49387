/**
 * Signing in to the console, joining, and signing out. See `src/spec/beyond.md`, sections 5 and 16.
 *
 * @module
 */
import { Elysia } from "elysia";
import { hashKey, permissionOf } from "../../accounts/key_format.ts";
import { createNetworkLimit } from "../../api/callers/network_limit.ts";
import { problemOf } from "../../api/problems/problems.ts";
import { callPlugin, type RoutedCall } from "../../http/call.ts";
import { PAGE_WORDS } from "../../http/face_words.ts";
import { Problem } from "../../http/problem_details.ts";
import { urlOf } from "../../http/query_string.ts";
import { parseMailAddress } from "../../lib/mail_address.ts";
import { networkOf } from "../../lib/public_address.ts";
import { CODES_LIMIT, CODES_OF_NETWORK_MINUTE_LIMIT } from "../../limits.ts";
import { Refused } from "../../operator/refused.ts";
import { beginProof, checkCode, findProof, keepVouchedProof } from "../../people/address_proofs.ts";
import { enterByProof, joinByProof } from "../../people/join.ts";
import { requireAddress } from "../../people/members.ts";
import { createOpenId, OpenIdRefused } from "../../people/openid/openid_sign_in.ts";
import { readOwnName } from "../../people/own_name.ts";
import { endPersonSessions, enterAccount, listMemberships } from "../../people/person_sessions.ts";
import type { Services } from "../../services.ts";
import { rootOf } from "../layout/page.tsx";
import { privatePageHeaders } from "../layout/page_headers.ts";
import { cookieOf, cookieValue, isOverTls, OPENID_COOKIE, PROOF_COOKIE } from "./cookie.ts";
import { readForm, requireOwnSite } from "./forms.ts";
import { problemView } from "./frame.tsx";
import type { PageAnswers, Routed } from "./page_answers.ts";
import { messageOf } from "./page_messages.tsx";
import { beginSession, endSessions, findLink, openLink, sessionOf, visitorOf } from "./sessions.ts";
import { SignInTries } from "./sign_in_tries.ts";
import {
  codeView,
  goOnView,
  joinView,
  linkView,
  notSignedInView,
  queryOf,
  signInView,
} from "./sign_in_views.tsx";
import { doneText } from "./visit.ts";
import { nextOf } from "./visitors.ts";
import { waitingAgent } from "./waiting_agent.ts";

/** Where a sign-in is. */
interface Place {
  readonly root: string;
  readonly next: string | undefined;
}

/** The routes, and the page that asks for a sign-in. */
export function createSignIn(services: Services, answers: PageAnswers) {
  const { config, database, operatorDatabase, operatorsListener, http, keys } = services;
  const { page, shown, goTo, sessionCookie } = answers;
  const tries = new SignInTries();
  // Each code is a mail, and many networks together could send any number.
  const codesLimit = createNetworkLimit({
    limit: CODES_LIMIT,
    networkLimit: CODES_OF_NETWORK_MINUTE_LIMIT,
    of: "codes",
  });
  const operator = { database: operatorDatabase, limits: config.limits };
  const hidden = { config: {}, parse: "none" as const, detail: { hide: true } };
  const ways = {
    hasMail: config.mail !== undefined,
    openId: config.oidc?.name,
    isOpen: config.signUp.mode === "open",
  };
  const addressOf = ({ call, server }: Routed) => operatorsListener.addressOf(call.request, server);

  function placeOf({ request }: RoutedCall, next: string | null | undefined): Place {
    return { root: rootOf(urlOf(request).pathname), next: nextOf(next) };
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

  function refusedPage(call: RoutedCall, { root }: Place, why: string, status = 403): Response {
    return page(call, { view: notSignedInView(root, why), status });
  }

  /** Goes on as a person who has just signed in: in its only account, or to the choice of one. */
  async function goOnAs(token: string, personId: string, { root, next }: Place): Promise<string> {
    // The consent asks which account pays.
    if (next?.startsWith("/oauth/")) return root + next;
    const open = (await listMemberships(database, personId)).filter(
      ({ suspensionReason }) => suspensionReason === undefined,
    );
    const [only] = open;
    if (only !== undefined && open.length === 1) {
      const { id: accountId } = only.account;
      const outcome = await enterAccount(database, { token, accountId });
      if (outcome === "entered") return `${root}${next ?? "/console"}`;
    }
    return `${root}/console/choose${queryOf(next)}`;
  }

  /** Signs in the person of a proven address, or has a new one join. */
  async function enter(call: RoutedCall, place: Place, token: string): Promise<Entry> {
    const entered = await enterByProof(database, token);
    switch (entered.kind) {
      case "entered": {
        const to = await goOnAs(entered.token, entered.personId, place);
        return {
          kind: "to",
          to,
          cookies: [sessionCookie(call, entered.token), proofCookie(call, undefined)],
        };
      }
      case "new":
        return {
          kind: "to",
          to: `${place.root}/console/join${queryOf(place.next)}`,
          cookies: [proofCookie(call, token)],
        };
      case "other_subject":
        return {
          kind: "refused",
          why: OTHER_SUBJECT,
        };
      case "over":
        return {
          kind: "refused",
          why: "This sign-in has expired or was already used. Start again.",
        };
    }
  }

  const app = new Elysia({ name: "sign-in" })
    .use(callPlugin())
    .get(
      "/console/sign-in",
      shown(async ({ call }) => {
        const query = urlOf(call.request).searchParams;
        const done = doneText(query.get("done"));
        return signInPage(call, placeOf(call, query.get("next")), { done });
      }),
      hidden,
    )
    .post(
      "/console/sign-in",
      shown(async (context) => {
        const { call, server = null } = context;
        requireOwnSite(call);
        const forgive = tries.begin(addressOf(context));
        const form = await readForm(services, call, { server });
        const place = placeOf(call, form.text("next"));
        if (ways.hasMail && form.given("address") !== undefined) {
          // Codes have limits of their own.
          forgive();
          return mailCode(context, place, form.text("address"));
        }
        const key = form.text("key");
        const why = await refusalOfKey(call, key);
        if (why !== undefined) return signInPage(call, place, { why, status: 401 });
        forgive();
        const token = await beginSession(database, { key, isOwnKey: false });
        const to = `${place.root}${place.next ?? "/console"}`;
        return goTo(to, [sessionCookie(call, token)]);
      }),
      hidden,
    )
    .get(
      "/console/link/:token",
      shown(async ({ call, params = {} }) => {
        const linked = await findLink(operator, givenLink(call, params));
        if (linked === undefined) return usedUpPage(call);
        const session = await sessionOf(services, call.request);
        return page(call, { session, view: linkView(linked, session) });
      }),
      hidden,
    )
    .post(
      "/console/link/:token",
      shown(async ({ call, params = {} }) => {
        requireOwnSite(call);
        const token = await openLink(operator, givenLink(call, params));
        return token === undefined
          ? usedUpPage(call)
          : goTo("../../console", [sessionCookie(call, token)]);
      }),
      hidden,
    )
    .post(
      "/console/sign-out",
      shown(async ({ call, server = null }) => {
        requireOwnSite(call);
        const { session, person } = await visitorOf(services, call.request);
        const form = await readForm(services, call, session ?? { server });
        const isEverywhere = form.text("everywhere") === "yes";
        if (session !== undefined) await endSessions(operator, session, { isEverywhere });
        if (person !== undefined) {
          await endPersonSessions(operator.database, person.token, { isEverywhere });
        }
        return goTo("../console/sign-in", [sessionCookie(call, undefined)]);
      }),
      hidden,
    );
  if (ways.hasMail) codeRoutes();
  if (ways.hasMail || config.oidc !== undefined) joinRoutes();
  if (config.oidc !== undefined) openIdRoutes(config.oidc);
  return { routes: app, signInPage };

  async function mailCode(context: Routed, place: Place, typed: string): Promise<Response> {
    const { call } = context;
    try {
      const address = requireAddress(typed);
      codesLimit(addressOf(context));
      const token = await beginProof(database, {
        address,
        network: networkOf(addressOf(context)),
        baseUrl: http.baseUrl(),
      });
      services.mail?.wake();
      return goTo(`${place.root}/console/sign-in/code${queryOf(place.next)}`, [
        proofCookie(call, token),
      ]);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      const why = problemOf(error).detailIn();
      return signInPage(call, place, { why, status: 422, address: typed });
    }
  }

  function codeRoutes(): void {
    app
      .get(
        "/console/sign-in/code",
        shown(async ({ call }) => {
          const place = placeOf(call, urlOf(call.request).searchParams.get("next"));
          const proof = await heldProof(call);
          if (proof === undefined) return signInPage(call, place, { why: NO_CODE });
          const { address, isLate } = proof;
          return page(call, {
            view: codeView({ ...place, address }),
            message: messageOf("warn", isLate ? LATE : undefined),
          });
        }),
        hidden,
      )
      .post(
        "/console/sign-in/code",
        shown(async (context) => {
          const { call, server = null } = context;
          requireOwnSite(call);
          const forgive = tries.begin(addressOf(context));
          const form = await readForm(services, call, { server });
          const place = placeOf(call, form.text("next"));
          const proof = await heldProof(call);
          if (proof === undefined) return signInPage(call, place, { why: NO_CODE, status: 401 });
          const { token } = proof;
          const checked = await checkCode(database, { token, typed: form.text("code") });
          if (checked.kind === "over") {
            return signInPage(call, place, { why: NO_CODE, status: 401 });
          }
          if (checked.kind === "wrong") {
            const { triesLeft } = checked;
            const left = triesLeft === 1 ? "One attempt" : `${triesLeft} attempts`;
            const message = messageOf("bad", `Incorrect code. ${left} left.`);
            const view = codeView({ ...place, address: proof.address });
            return page(call, { view, message, status: 401 });
          }
          forgive();
          const entry = await enter(call, place, token);
          return entry.kind === "to"
            ? goTo(entry.to, entry.cookies)
            : refusedPage(call, place, entry.why);
        }),
        hidden,
      );
  }

  function joinRoutes(): void {
    const { termsUrl } = config.signUp;
    app
      .get(
        "/console/join",
        shown(async ({ call }) => {
          const place = placeOf(call, urlOf(call.request).searchParams.get("next"));
          const proof = await heldProof(call);
          if (proof?.isProven !== true) return signInPage(call, place, { why: NO_PROOF });
          const { address, name = "" } = proof;
          return page(call, { view: joinView({ ...place, address, name, termsUrl }) });
        }),
        hidden,
      )
      .post(
        "/console/join",
        shown(async (context) => {
          const { call, server = null } = context;
          requireOwnSite(call);
          const form = await readForm(services, call, { server });
          const place = placeOf(call, form.text("next"));
          const proof = await heldProof(call);
          if (proof?.isProven !== true) {
            return signInPage(call, place, { why: NO_PROOF, status: 401 });
          }
          const typed = form.text("name");
          const hasAgreed = termsUrl !== undefined && form.text("terms") === "yes";
          const again = (why: string) => {
            const view = joinView({ ...place, address: proof.address, name: typed, termsUrl });
            return page(call, { view, message: messageOf("bad", why), status: 422 });
          };
          const named = readOwnName(typed);
          if (named.kind === "refused") return again(named.why);
          if (termsUrl !== undefined && !hasAgreed) {
            return again("To sign up, agree to the terms.");
          }
          const gateway = {
            database,
            signUp: config.signUp,
            maxFeeds: config.limits.maxFeeds,
            secret: services.cursorSecret,
          };
          const network = networkOf(addressOf(context));
          const joined = await joinByProof(gateway, {
            proofToken: proof.token,
            name: named.name,
            hasAgreed,
            network,
          });
          switch (joined.kind) {
            case "joined":
            case "entered": {
              const to = await goOnAs(joined.token, joined.personId, place);
              return goTo(to, [sessionCookie(call, joined.token), proofCookie(call, undefined)]);
            }
            case "not_invited":
              return refusedPage(
                call,
                place,
                config.signUp.mode === "open"
                  ? "Sign-up is limited to certain email domains, and yours is not one of them. Ask the operator or the owner of an account to invite you."
                  : "Sign-up requires an invitation. Ask the operator or the owner of an account to invite your address.",
              );
            case "day_full":
              return refusedPage(
                call,
                place,
                "Today's limit of new accounts has been reached. Try again after midnight UTC.",
                429,
              );
            case "other_subject":
              return refusedPage(call, place, OTHER_SUBJECT);
            case "over":
              return signInPage(call, place, { why: NO_PROOF, status: 401 });
          }
        }),
        hidden,
      );
  }

  function openIdRoutes(oidc: NonNullable<typeof config.oidc>): void {
    const openId = createOpenId(oidc, {
      redirectUri: () => `${http.baseUrl()}/console/sign-in/openid/callback`,
      secret: services.cursorSecret,
    });
    const keptCookie = ({ request }: RoutedCall, kept: string | undefined) =>
      cookieOf(OPENID_COOKIE, kept, isOverTls(services, request));
    app
      .post(
        "/console/sign-in/openid",
        shown(async ({ call, server = null }) => {
          requireOwnSite(call);
          const form = await readForm(services, call, { server });
          const place = placeOf(call, form.text("next"));
          const begun = await openId.begin({ next: place.next }).catch(refusalOfOpenId);
          if (begun instanceof OpenIdRefused) return refusedOpenId(call, place, begun);
          return goTo(begun.location, [keptCookie(call, begun.kept)]);
        }),
        hidden,
      )
      .get(
        "/console/sign-in/openid/callback",
        shown(async (context) => {
          const { call } = context;
          const { request } = call;
          const root = rootOf(urlOf(request).pathname);
          const kept = cookieValue(request.headers, OPENID_COOKIE, isOverTls(services, request));
          const finished = await openId
            .finish({ callbackUrl: new URL(urlOf(request).search, openId.redirectUri()), kept })
            .catch(refusalOfOpenId);
          if (finished instanceof OpenIdRefused) {
            return refusedOpenId(call, { root, next: undefined }, finished);
          }
          const { issuer, subject, email, name } = finished;
          const place = { root, next: nextOf(finished.next) };
          const address = parseMailAddress(email);
          if (address === undefined) {
            const why = `${oidc.name} returned an address that can't be used here. Sign in with a different one.`;
            return refusedPage(call, place, why);
          }
          const network = networkOf(addressOf(context));
          const vouched = { address, issuer, subject, name, network };
          const token = await keepVouchedProof(database, vouched);
          const entry = await enter(call, place, token);
          if (entry.kind === "refused") return refusedPage(call, place, entry.why);
          const headers = new Headers();
          const cookies = [...entry.cookies, keptCookie(call, undefined)];
          for (const cookie of cookies) headers.append("Set-Cookie", cookie);
          return page(call, { view: goOnView(entry.to), headers });
        }),
        hidden,
      );
  }

  function refusedOpenId(call: RoutedCall, place: Place, refused: OpenIdRefused): Response {
    http.log.warn("a sign-in by OpenID Connect failed", {
      request_id: call.requestId,
      error: refused.cause ?? refused,
    });
    return refusedPage(call, place, refused.message, refused.status);
  }

  function givenLink({ request }: RoutedCall, { token = "" }: NonNullable<Routed["params"]>) {
    return { linkToken: token, isForOperators: operatorsListener.serves(request) };
  }

  function usedUpPage(call: RoutedCall): Response {
    const detail =
      "Sign-in links work once, for 15 minutes. This one was already used, has expired or is invalid. Request a new one, or sign in with a key.";
    const view = problemView("This link no longer works", detail, {
      href: "../../console/sign-in",
      text: "Sign in with a key",
    });
    return page(call, { view, status: 410 });
  }

  /** Why a key can't sign in; undefined if it can. */
  async function refusalOfKey(call: RoutedCall, key: string): Promise<string | undefined> {
    const permission = permissionOf(key);
    if (permission === undefined) return "This gateway has no such key. Paste the complete key.";
    if (permission === "admin") {
      if (!operatorsListener.serves(call.request)) {
        return "Operators sign in at a different address.";
      }
      const found = await database.row("find_admin_key", { key_hash: hashKey(key) });
      return found === undefined ? "The key is unknown, expired or revoked." : undefined;
    }
    try {
      const { caller } = await keys.identify(key, permission);
      return caller.isAgent
        ? "This key belongs to a connected agent, so it can't sign in. Paste one of your own keys."
        : undefined;
    } catch (error) {
      if (error instanceof Problem && error.status < 500) return error.detailIn(PAGE_WORDS);
      throw error;
    }
  }
}

/** @throws whatever is no refusal of the provider's answer */
function refusalOfOpenId(error: unknown): OpenIdRefused {
  if (error instanceof OpenIdRefused) return error;
  throw error;
}

const NO_CODE =
  "This browser has no valid code. It was used, entered incorrectly too often, or is older than 10 minutes. Request a new one.";
const NO_PROOF = "This sign-in is older than 30 minutes or was already used. Sign in again.";
const LATE =
  "The mail server has not accepted the email yet. The gateway keeps trying. If the address is wrong, request another code.";
const OTHER_SUBJECT =
  "This address is linked to a different sign-in. Sign in with a code by email, or contact the operator.";

/** A provider's first page may lead to others, under any host. */
function formTargetOf(issuer: string): string {
  const { protocol, origin } = new URL(issuer);
  return protocol === "https:" ? "https:" : origin;
}

interface SignInAgain {
  readonly why?: string | undefined;
  readonly status?: number;
  readonly address?: string;
  /** What was done before, in a sentence. */
  readonly done?: string | undefined;
}

/** Where a proven address leads. */
type Entry =
  | { readonly kind: "to"; readonly to: string; readonly cookies: readonly string[] }
  | { readonly kind: "refused"; readonly why: string };
