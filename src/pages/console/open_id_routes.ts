/**
 * Signing in at the OpenID Connect provider: the way to it, and back from it with an address that it vouches for. See
 * `src/spec/beyond.md`, section 16.
 *
 * @module
 */
import { Elysia } from "elysia";
import type { OidcConfig } from "../../config.ts";
import { callPlugin, type RoutedCall } from "../../http/call.ts";
import { urlOf } from "../../http/query_string.ts";
import { parseMailAddress } from "../../lib/mail_address.ts";
import { networkOf } from "../../lib/public_address.ts";
import { keepVouchedProof } from "../../people/address_proofs.ts";
import { createOpenId, OpenIdRefused } from "../../people/openid/openid_sign_in.ts";
import type { Services } from "../../services.ts";
import { cookieOf, cookieValue, isOverTls, OPENID_COOKIE } from "./cookie.ts";
import { PAGE_ROUTE } from "./page_answers.ts";
import { placeOf, type SignInAnswers } from "./sign_in_answers.ts";
import { goOnView } from "./sign_in_views.tsx";

export function openIdRoutes(services: Services, answers: SignInAnswers, oidc: OidcConfig) {
  const { database, http } = services;
  const { addressOf, page, shown, goTo, readSignIn, refusedPage, enter } = answers;
  const openId = createOpenId(oidc, {
    redirectUri: () => `${http.baseUrl()}/console/sign-in/openid/callback`,
    secret: services.cursorSecret,
  });

  function keptCookie({ request }: RoutedCall, kept: string | undefined): string {
    return cookieOf(OPENID_COOKIE, kept, isOverTls(services, request));
  }

  function refusedOpenId(call: RoutedCall, refused: OpenIdRefused): Response {
    http.log.warn("a sign-in by OpenID Connect failed", {
      request_id: call.requestId,
      error: refused.cause ?? refused,
    });
    return refusedPage(call, refused.message, refused.status);
  }

  return new Elysia({ name: "sign-in by OpenID Connect" })
    .use(callPlugin())
    .post(
      "/console/sign-in/openid",
      shown(async (context) => {
        const { call } = context;
        const { place } = await readSignIn(context);
        const begun = await openId.begin({ next: place.next }).catch(refusalOfOpenId);
        if (begun instanceof OpenIdRefused) return refusedOpenId(call, begun);
        return goTo(begun.location, [keptCookie(call, begun.kept)]);
      }),
      PAGE_ROUTE,
    )
    .get(
      "/console/sign-in/openid/callback",
      shown(async (context) => {
        const { call } = context;
        const { request } = call;
        const kept = cookieValue(request.headers, OPENID_COOKIE, isOverTls(services, request));
        const finished = await openId
          .finish({ callbackUrl: new URL(urlOf(request).search, openId.redirectUri()), kept })
          .catch(refusalOfOpenId);
        if (finished instanceof OpenIdRefused) return refusedOpenId(call, finished);
        const { issuer, subject, email, name, next } = finished;
        const address = parseMailAddress(email);
        if (address === undefined) {
          const why = `${oidc.name} returned an address that can't be used here. Sign in with a different one.`;
          return refusedPage(call, why);
        }
        const network = networkOf(addressOf(context));
        const vouched = { address, issuer, subject, name, network };
        const token = await keepVouchedProof(database, vouched);
        const entry = await enter(call, placeOf(call, next), token);
        if (entry.kind === "refused") return refusedPage(call, entry.why);
        const headers = new Headers();
        const cookies = [...entry.cookies, keptCookie(call, undefined)];
        for (const cookie of cookies) headers.append("Set-Cookie", cookie);
        return page(call, { view: goOnView(entry.to), headers });
      }),
      PAGE_ROUTE,
    );
}

/** @throws whatever is no refusal of the provider's answer */
function refusalOfOpenId(error: unknown): OpenIdRefused {
  if (error instanceof OpenIdRefused) return error;
  throw error;
}
