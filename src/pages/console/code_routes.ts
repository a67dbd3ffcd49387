/**
 * Signing in with a code that is mailed to an address. See `src/spec/beyond.md`, section 16.
 *
 * @module
 */
import { Elysia } from "elysia";
import { createNetworkLimit } from "../../api/callers/network_limit.ts";
import { problemOf } from "../../api/problems/problems.ts";
import { callPlugin } from "../../http/call.ts";
import { urlOf } from "../../http/query_string.ts";
import { networkOf } from "../../lib/public_address.ts";
import { CODES_LIMIT, CODES_OF_NETWORK_MINUTE_LIMIT } from "../../limits.ts";
import { Refused } from "../../operator/refused.ts";
import { beginProof, checkCode } from "../../people/address_proofs.ts";
import { requireAddress } from "../../people/members.ts";
import type { Services } from "../../services.ts";
import { PAGE_ROUTE, type Routed } from "./page_answers.ts";
import { messageOf } from "./page_messages.tsx";
import { type Place, placeOf, type SignInAnswers } from "./sign_in_answers.ts";
import { codeView, queryOf } from "./sign_in_views.tsx";

const NO_CODE =
  "This browser has no valid code. It was used, entered incorrectly too often, or is older than 10 minutes. Request a new one.";
const LATE =
  "The mail server has not accepted the email yet. The gateway keeps trying. If the address is wrong, request another code.";

/** The routes that take a code, and what mails one to an address that was typed on the sign-in page. */
export function codeRoutes({ database, http, mail }: Services, answers: SignInAnswers) {
  const { addressOf, tries, readSignIn, heldProof, proofCookie, enter } = answers;
  const { page, shown, goTo, signInPage, refusedPage } = answers;
  // Each code is a mail, and many networks together could send any number.
  const codesLimit = createNetworkLimit({
    limit: CODES_LIMIT,
    networkLimit: CODES_OF_NETWORK_MINUTE_LIMIT,
    of: "codes",
  });

  async function mailCode(context: Routed, place: Place, typed: string): Promise<Response> {
    const { call } = context;
    try {
      const address = requireAddress(typed);
      const caller = addressOf(context);
      codesLimit(caller);
      const network = networkOf(caller);
      const token = await beginProof(database, { address, network, baseUrl: http.baseUrl() });
      mail?.wake();
      const to = `${place.root}/console/sign-in/code${queryOf(place.next)}`;
      return goTo(to, [proofCookie(call, token)]);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      const why = problemOf(error).detailIn();
      return signInPage(call, place, { why, status: 422, address: typed });
    }
  }

  const routes = new Elysia({ name: "sign-in by code" })
    .use(callPlugin())
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
      PAGE_ROUTE,
    )
    .post(
      "/console/sign-in/code",
      shown(async (context) => {
        const { call } = context;
        const forgive = tries.begin(addressOf(context));
        const { form, place } = await readSignIn(context);
        const proof = await heldProof(call);
        if (proof === undefined) return signInPage(call, place, { why: NO_CODE, status: 401 });
        const { token, address } = proof;
        const checked = await checkCode(database, { token, typed: form.text("code") });
        if (checked.kind === "over") return signInPage(call, place, { why: NO_CODE, status: 401 });
        if (checked.kind === "wrong") {
          const { triesLeft } = checked;
          const left = triesLeft === 1 ? "One attempt" : `${triesLeft} attempts`;
          const message = messageOf("bad", `Incorrect code. ${left} left.`);
          return page(call, { view: codeView({ ...place, address }), message, status: 401 });
        }
        forgive();
        const entry = await enter(call, place, token);
        return entry.kind === "to" ? goTo(entry.to, entry.cookies) : refusedPage(call, entry.why);
      }),
      PAGE_ROUTE,
    );
  return { routes, mailCode };
}
