/**
 * Responses of the console: pages, problems as pages, and the cookies of a sign-in.
 *
 * @module
 */
import type { Peer } from "../../api/callers/operators_listener.ts";
import { problemOf } from "../../api/problems/problems.ts";
import type { RoutedCall } from "../../http/call.ts";
import { PAGE_WORDS } from "../../http/face_words.ts";
import { Problem, retryAfterOf } from "../../http/problem_details.ts";
import { urlOf } from "../../http/query_string.ts";
import type { Services } from "../../services.ts";
import type { LiveServer } from "../layout/live_events.ts";
import { rootOf } from "../layout/page.tsx";
import { PRIVATE_PAGE_HEADERS } from "../layout/page_headers.ts";
import { titleOf } from "../layout/problem_page.tsx";
import { cookieOf, isOverTls, SESSION_COOKIE } from "./cookie.ts";
import { requireOwnSite } from "./forms.ts";
import { problemView, renderFramed } from "./frame.tsx";
import type { messageOf } from "./page_messages.tsx";
import type { Session, SignedInPerson } from "./sessions.ts";
import type { View } from "./visit.ts";

/** What a route of the console gets. */
export interface Routed {
  readonly call: RoutedCall;
  readonly params?: Readonly<Record<string, string>>;
  readonly server?: (Peer & LiveServer) | null;
}

/** Options of a page's route: handlers read forms themselves, and the OpenAPI document has no pages. */
export const PAGE_ROUTE = { config: {}, parse: "none" as const, detail: { hide: true } };

export interface PageRest {
  readonly session?: Session | undefined;
  /** Somebody who is signed in and acts in no account. */
  readonly person?: SignedInPerson | undefined;
  readonly view: View;
  readonly message?: ReturnType<typeof messageOf>;
  readonly status?: number;
  readonly headers?: Headers | Readonly<Record<string, string>>;
}

export type PageAnswers = ReturnType<typeof pageAnswers>;

export function pageAnswers(services: Services) {
  const { http, operatorsListener } = services;

  function addressOf({ call, server }: Routed): string {
    return operatorsListener.addressOf(call.request, server);
  }

  function page(call: RoutedCall, rest: PageRest): Response {
    const path = urlOf(call.request).pathname;
    const { status = 200, headers, session, ...framed } = rest;
    const html = renderFramed({ root: rootOf(path), path: path.slice(1), session, ...framed });
    const all = new Headers(PRIVATE_PAGE_HEADERS);
    for (const [name, value] of new Headers(headers)) {
      if (name === "set-cookie") all.append(name, value);
      else all.set(name, value);
    }
    return new Response(html, { status, headers: all });
  }

  function problemPage(
    call: RoutedCall,
    error: unknown,
    who: Pick<PageRest, "session" | "person"> = {},
  ): Response {
    const problem = error instanceof Problem ? error : problemOf(error);
    call.subject.code = problem.code;
    if (problem.status >= 500) {
      http.log.error("a page of the console failed", { request_id: call.requestId, error });
    }
    const root = rootOf(urlOf(call.request).pathname);
    const view = problemView(titleOf(problem.code), problem.detailIn(PAGE_WORDS), {
      href: `${root}/console`,
      text: "Back to the console",
    });
    const headers = { ...problem.options.headers, ...retryAfterOf(problem) };
    return page(call, { ...who, view, status: problem.status, headers });
  }

  /** A handler whose problems are pages, and to which other sites can't send forms. */
  function shown(handler: (context: Routed) => Promise<Response>) {
    return async (context: Routed): Promise<Response> => {
      try {
        // A page is asked for by anybody, and costs a statement at least.
        services.pageLimit(addressOf(context));
        if (context.call.request.method === "POST") requireOwnSite(context.call);
        return await handler(context);
      } catch (error) {
        return problemPage(context.call, error);
      }
    };
  }

  /** Goes on to another page. */
  function goTo(to: string, cookies: readonly string[] = []): Response {
    const headers = new Headers(PRIVATE_PAGE_HEADERS);
    headers.set("Location", to);
    for (const cookie of cookies) headers.append("Set-Cookie", cookie);
    return new Response(null, { status: 303, headers });
  }

  /** The session's cookie; without a token it takes the cookie away. */
  function sessionCookie({ request }: RoutedCall, token: string | undefined): string {
    return cookieOf(SESSION_COOKIE, token, isOverTls(services, request));
  }

  return { addressOf, page, problemPage, shown, goTo, sessionCookie };
}
