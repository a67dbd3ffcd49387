/**
 * Signing in with a link that works once: what it would do, and doing it. See `src/spec/beyond.md`, section 5.
 *
 * @module
 */
import { Elysia } from "elysia";
import { callPlugin, type RoutedCall } from "../../http/call.ts";
import type { Services } from "../../services.ts";
import { problemView } from "./frame.tsx";
import { PAGE_ROUTE, type PageAnswers, type Routed } from "./page_answers.ts";
import { findLink, openLink, sessionOf } from "./sessions.ts";
import { linkView } from "./sign_in_views.tsx";

export function linkRoutes(services: Services, { page, shown, goTo, sessionCookie }: PageAnswers) {
  const operator = services.operator();

  function givenLink({ call, params: { token = "" } = {} }: Routed) {
    return { linkToken: token, isForOperators: services.operatorsListener.serves(call.request) };
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

  return new Elysia({ name: "sign-in by link" })
    .use(callPlugin())
    .get(
      "/console/link/:token",
      shown(async (context) => {
        const { call } = context;
        const linked = await findLink(operator, givenLink(context));
        if (linked === undefined) return usedUpPage(call);
        const session = await sessionOf(services, call.request);
        return page(call, { session, view: linkView(linked, session) });
      }),
      PAGE_ROUTE,
    )
    .post(
      "/console/link/:token",
      shown(async (context) => {
        const { call } = context;
        const token = await openLink(operator, givenLink(context));
        return token === undefined
          ? usedUpPage(call)
          : goTo("../../console", [sessionCookie(call, token)]);
      }),
      PAGE_ROUTE,
    );
}
