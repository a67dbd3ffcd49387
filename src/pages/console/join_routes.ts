/**
 * Joining: a person who has proven an address that belongs to nobody yet gives a name and agrees to the terms. See
 * `src/spec/beyond.md`, section 16.
 *
 * @module
 */
import { Elysia } from "elysia";
import { callPlugin } from "../../http/call.ts";
import { urlOf } from "../../http/query_string.ts";
import { networkOf } from "../../lib/public_address.ts";
import { joinByProof } from "../../people/join.ts";
import { readOwnName } from "../../people/own_name.ts";
import type { Services } from "../../services.ts";
import { PAGE_ROUTE } from "./page_answers.ts";
import { messageOf } from "./page_messages.tsx";
import { OTHER_SUBJECT, placeOf, type SignInAnswers } from "./sign_in_answers.ts";
import { joinView } from "./sign_in_views.tsx";

const NO_PROOF = "This sign-in is older than 30 minutes or was already used. Sign in again.";

export function joinRoutes(services: Services, answers: SignInAnswers) {
  const { addressOf, readSignIn, heldProof, goOnAs } = answers;
  const { page, shown, goTo, signInPage, refusedPage } = answers;
  const { database, config, cursorSecret } = services;
  const { signUp, limits } = config;
  const { termsUrl } = signUp;
  const gateway = { database, signUp, maxFeeds: limits.maxFeeds, secret: cursorSecret };

  return new Elysia({ name: "join" })
    .use(callPlugin())
    .get(
      "/console/join",
      shown(async ({ call }) => {
        const place = placeOf(call, urlOf(call.request).searchParams.get("next"));
        const proof = await heldProof(call);
        if (proof?.isProven !== true) return signInPage(call, place, { why: NO_PROOF });
        const { address, name = "" } = proof;
        return page(call, { view: joinView({ ...place, address, name, termsUrl }) });
      }),
      PAGE_ROUTE,
    )
    .post(
      "/console/join",
      shown(async (context) => {
        const { call } = context;
        const { form, place } = await readSignIn(context);
        const proof = await heldProof(call);
        if (proof?.isProven !== true) {
          return signInPage(call, place, { why: NO_PROOF, status: 401 });
        }
        const { token: proofToken, address } = proof;
        const typed = form.text("name");
        const again = (why: string) => {
          const view = joinView({ ...place, address, name: typed, termsUrl });
          return page(call, { view, message: messageOf("bad", why), status: 422 });
        };
        const named = readOwnName(typed);
        if (named.kind === "refused") return again(named.why);
        const hasAgreed = termsUrl !== undefined && form.text("terms") === "yes";
        if (termsUrl !== undefined && !hasAgreed) return again("To sign up, agree to the terms.");
        const network = networkOf(addressOf(context));
        const joining = { proofToken, name: named.name, hasAgreed, network };
        const joined = await joinByProof(gateway, joining);
        switch (joined.kind) {
          case "joined":
          case "entered": {
            const { to, cookies } = await goOnAs(call, place, joined);
            return goTo(to, cookies);
          }
          case "not_invited":
            return refusedPage(
              call,
              signUp.mode === "open"
                ? "Sign-up is limited to certain email domains, and yours is not one of them. Ask the operator or the owner of an account to invite you."
                : "Sign-up requires an invitation. Ask the operator or the owner of an account to invite your address.",
            );
          case "day_full":
            return refusedPage(
              call,
              "Today's limit of new accounts has been reached. Try again after midnight UTC.",
              429,
            );
          case "other_subject":
            return refusedPage(call, OTHER_SUBJECT);
          case "over":
            return signInPage(call, place, { why: NO_PROOF, status: 401 });
        }
      }),
      PAGE_ROUTE,
    );
}
