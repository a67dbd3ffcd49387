/**
 * The sign-in page, signing in with a key, and signing out. Each other way has a file of its own: `code_routes.ts`,
 * `open_id_routes.ts`, `link_routes.ts`, and for new people `join_routes.ts`. See `src/spec/beyond.md`, sections 5 and
 * 16.
 *
 * @module
 */
import { Elysia } from "elysia";
import { hashKey, permissionOf } from "../../accounts/key_format.ts";
import { callPlugin } from "../../http/call.ts";
import { PAGE_WORDS } from "../../http/face_words.ts";
import { Problem } from "../../http/problem_details.ts";
import { urlOf } from "../../http/query_string.ts";
import { endPersonSessions } from "../../people/person_sessions.ts";
import type { Services } from "../../services.ts";
import { codeRoutes } from "./code_routes.ts";
import { readForm } from "./forms.ts";
import { joinRoutes } from "./join_routes.ts";
import { linkRoutes } from "./link_routes.ts";
import { openIdRoutes } from "./open_id_routes.ts";
import { PAGE_ROUTE, type PageAnswers } from "./page_answers.ts";
import { beginSession, endSessions, visitorOf } from "./sessions.ts";
import { placeOf, signInAnswers } from "./sign_in_answers.ts";
import { doneText } from "./visit.ts";

/** The routes of all ways to sign in, and the page that asks for a sign-in. */
export function createSignIn(services: Services, pageAnswers: PageAnswers) {
  const { config, database } = services;
  const operator = services.operator();
  const answers = signInAnswers(services, pageAnswers);
  const { addressOf, shown, goTo, sessionCookie, tries, readSignIn, signInPage } = answers;
  const byCode = config.mail && codeRoutes(services, answers);

  const routes = new Elysia({ name: "sign-in" })
    .use(callPlugin())
    .use(linkRoutes(services, answers))
    .get(
      "/console/sign-in",
      shown(async ({ call }) => {
        const query = urlOf(call.request).searchParams;
        const done = doneText(query.get("done"));
        return signInPage(call, placeOf(call, query.get("next")), { done });
      }),
      PAGE_ROUTE,
    )
    .post(
      "/console/sign-in",
      shown(async (context) => {
        const { call } = context;
        const forgive = tries.begin(addressOf(context));
        const { form, place } = await readSignIn(context);
        if (byCode !== undefined && form.given("address") !== undefined) {
          // Codes have limits of their own.
          forgive();
          return byCode.mailCode(context, place, form.text("address"));
        }
        const key = form.text("key");
        const why = await refusalOfKey(services, call.request, key);
        if (why !== undefined) return signInPage(call, place, { why, status: 401 });
        forgive();
        const token = await beginSession(database, { key, isOwnKey: false });
        const to = `${place.root}${place.next ?? "/console"}`;
        return goTo(to, [sessionCookie(call, token)]);
      }),
      PAGE_ROUTE,
    )
    .post(
      "/console/sign-out",
      shown(async ({ call, server = null }) => {
        const { session, person } = await visitorOf(services, call.request);
        const form = await readForm(services, call, session ?? { server });
        const isEverywhere = form.text("everywhere") === "yes";
        if (session !== undefined) await endSessions(operator, session, { isEverywhere });
        if (person !== undefined) {
          await endPersonSessions(operator.database, person.token, { isEverywhere });
        }
        return goTo("../console/sign-in", [sessionCookie(call, undefined)]);
      }),
      PAGE_ROUTE,
    );
  if (byCode !== undefined) routes.use(byCode.routes);
  if (config.oidc !== undefined) routes.use(openIdRoutes(services, answers, config.oidc));
  if (byCode !== undefined || config.oidc !== undefined) routes.use(joinRoutes(services, answers));
  return { routes, signInPage };
}

/** Why a key can't sign in; undefined if it can. */
async function refusalOfKey(
  { database, keys, operatorsListener }: Services,
  request: Request,
  key: string,
): Promise<string | undefined> {
  const permission = permissionOf(key);
  if (permission === undefined) return "This gateway has no such key. Paste the complete key.";
  if (permission === "admin") {
    if (!operatorsListener.serves(request)) return "Operators sign in at a different address.";
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
