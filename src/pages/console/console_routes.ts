/**
 * `/console`: pages for operators, providers and consumers. Beyond 5.
 *
 * A page is a line of its role's table (`visit.ts`). Every change is one call of a function of the API, after the
 * person has confirmed what will happen.
 *
 * @module
 */
import { Elysia } from "elysia";
import { hashKey, permissionOf } from "../../accounts/key_format.ts";
import type { Peer } from "../../api/callers/operators_listener.ts";
import type { Handle } from "../../api/own_routes.ts";
import { problemOf } from "../../api/problems/problems.ts";
import type { BuyFeed } from "../../consumer/buy_feed.ts";
import { callPlugin, type RoutedCall } from "../../http/call.ts";
import { PAGE_WORDS } from "../../http/face_words.ts";
import { Problem, retryAfterOf } from "../../http/problem_details.ts";
import { urlOf } from "../../http/query_string.ts";
import type { Services } from "../../services.ts";
import { rootOf } from "../layout/page.tsx";
import { PRIVATE_PAGE_HEADERS } from "../layout/page_headers.ts";
import { titleOf } from "../layout/problem_page.tsx";
import { admitBy } from "./admit.ts";
import { CONSUMER_PAGES } from "./consumer/consumer_pages.ts";
import { cookieOf, cookieToken, isOverTls } from "./cookie.ts";
import { readForm, requireOwnSite } from "./forms.ts";
import { confirmView, linkView, problemView, renderFramed, signInView } from "./frame.tsx";
import { OPERATOR_PAGES } from "./operator/operator_pages.ts";
import { askApi, askText } from "./own_api.ts";
import { messageOf, messageOfRefusal } from "./page_messages.tsx";
import { PROVIDER_PAGES } from "./provider/provider_pages.ts";
import { refusalOf } from "./refusal_messages.ts";
import {
  beginSession,
  endSessions,
  findLink,
  openLink,
  type Role,
  type Session,
  sessionOf,
} from "./sessions.ts";
import { SignInTries } from "./sign_in_tries.ts";
import {
  type Acted,
  doneText,
  type Form,
  type PageRoute,
  type Refused,
  type View,
  type Visit,
} from "./visit.ts";
import { nextOf } from "./visitors.ts";

const PAGES: Readonly<Record<Role, readonly PageRoute[]>> = {
  admin: OPERATOR_PAGES,
  write: PROVIDER_PAGES,
  read: CONSUMER_PAGES,
};
/** All paths below `/console`, each once. */
const PATHS = [...new Set(Object.values(PAGES).flatMap((pages) => pages.map(({ path }) => path)))];
/** Routes that no customer has a page of. */
export const OPERATOR_PAGE_ROUTES: ReadonlySet<string> = new Set(
  OPERATOR_PAGES.map(({ path }) => path)
    .filter((path) => ![...PROVIDER_PAGES, ...CONSUMER_PAGES].some((page) => page.path === path))
    .map((path) => `/console/${path}`),
);

interface ConsoleParts {
  /** The app that has the routes of the API. */
  readonly handle: Handle;
  readonly buyFeed: BuyFeed;
}

export function consoleRoutes(services: Services, { handle, buyFeed }: ConsoleParts) {
  const { config, database, operatorDatabase, operatorsListener, http, keys } = services;
  const tries = new SignInTries();
  const operator = () => ({
    database: operatorDatabase,
    limits: config.limits,
    baseUrl: http.baseUrl(),
  });

  function page(call: RoutedCall, rest: PageRest): Response {
    const path = urlOf(call.request).pathname;
    const { status = 200, headers = {}, ...framed } = rest;
    const html = renderFramed({ root: rootOf(path), path: path.slice(1), ...framed });
    return new Response(html, { status, headers: { ...PRIVATE_PAGE_HEADERS, ...headers } });
  }

  /** A handler whose problems are pages. */
  function shown(handler: (context: Routed) => Promise<Response>) {
    return async (context: Routed): Promise<Response> => {
      try {
        // A page is asked for by anybody, and costs a statement at least.
        services.pageLimit(operatorsListener.addressOf(context.call.request, context.server));
        return await handler(context);
      } catch (error) {
        return problemPage(context.call, error, undefined);
      }
    };
  }

  /** The same for whoever is signed in, which its problems show, too. Without a session it is the sign-in. */
  function shownTo(handler: (context: Routed, session: Session) => Promise<Response>) {
    return shown(async (context) => {
      const { call } = context;
      if (call.request.method === "POST") requireOwnSite(call);
      const session = await sessionOf(services, call.request);
      if (session === undefined) return signInPage(call);
      try {
        return await handler(context, session);
      } catch (error) {
        return problemPage(call, error, session);
      }
    });
  }

  function problemPage(call: RoutedCall, error: unknown, session: Session | undefined): Response {
    const problem = error instanceof Problem ? error : problemOf(error);
    call.subject.code = problem.code;
    if (problem.status >= 500) {
      http.log.error("a page of the console failed", { request_id: call.requestId, error });
    }
    const root = rootOf(urlOf(call.request).pathname);
    const view = problemView(titleOf(problem.code), problem.detailIn(PAGE_WORDS), {
      href: `${root}/console`,
      text: "To the first page",
    });
    const headers = { ...problem.options.headers, ...retryAfterOf(problem) };
    return page(call, { session, view, status: problem.status, headers });
  }

  function visitOf(call: RoutedCall, session: Session, params: Visit["params"]): Visit {
    const { pathname, searchParams } = urlOf(call.request);
    const text = askText({ handle, key: session.key, requestId: call.requestId });
    call.isKeyed = true;
    call.subject.keyId = session.keyId;
    if (session.account !== undefined) call.subject.accountId = session.account.id;
    return {
      session,
      operator: operator(),
      keeping: { database: operatorDatabase, secret: services.cursorSecret },
      actor: session.actor,
      services,
      call,
      admit: admitBy(services, session),
      buyFeed,
      ask: askApi(text),
      askText: text,
      params,
      query: searchParams,
      root: rootOf(pathname),
      baseUrl: http.baseUrl(),
      takesCards: config.topups?.stripe !== undefined,
    };
  }

  function routeOf(session: Session, path: string): PageRoute {
    const route = PAGES[session.role].find((each) => each.path === path);
    if (route !== undefined) return route;
    throw new Problem("ROUTE_NOT_FOUND", {
      detail: "This page isn't available for your role. The menu lists the pages that are.",
    });
  }

  const app = new Elysia({ name: "console" }).use(callPlugin());
  const hidden = { config: {}, parse: "none" as const, detail: { hide: true } };

  for (const path of PATHS) {
    const place = path === "" ? "/console" : `/console/${path}`;
    app.route(
      "GET",
      place,
      shownTo(async ({ call, params = {} }, session) => {
        const visit = visitOf(call, session, params);
        const route = routeOf(session, path);
        const file = await route.download?.(visit);
        if (file !== undefined) {
          const named = { "Content-Disposition": `attachment; filename="${file.name}"` };
          const headers = { ...PRIVATE_PAGE_HEADERS, ...named, "Content-Type": file.type };
          return new Response(file.text, { headers });
        }
        const view = await route.show(visit);
        const done = doneText(visit.query.get("done"));
        return page(call, { session, view, message: messageOf("good", done) });
      }),
      hidden,
    );
    app.route(
      "POST",
      place,
      shownTo(async ({ call, params = {} }, session) => {
        const visit = visitOf(call, session, params);
        const route = routeOf(session, path);
        const form = await readForm(services, call, session);
        return act({ call, session, visit, route, form });
      }),
      hidden,
    );
  }

  interface Acting {
    readonly call: RoutedCall;
    readonly session: Session;
    readonly visit: Visit;
    readonly route: PageRoute;
    readonly form: Form;
  }

  async function act(acting: Acting): Promise<Response> {
    const { call, session, visit, route, form } = acting;
    const chosen = Object.entries(route.acts ?? {}).find(
      ([name]) => name === form.text("act"),
    )?.[1];
    if (chosen === undefined) {
      throw new Problem("INVALID_PARAMETER", { detail: "The form has no such button. Reload it." });
    }
    if ("look" in chosen) {
      return answer(acting, await refusedAsAnswer(() => chosen.look(visit, form)));
    }
    if (form.text("confirmed") === "no") {
      return page(call, { session, view: await route.show(visit, form) });
    }
    if (form.text("confirmed") !== "yes") {
      const asked = await refusedAsAnswer(async () => chosen.confirm(form, visit));
      const question =
        typeof asked === "string" ? ({ kind: "ask", sentence: asked } as const) : asked;
      if (question.kind === "refused") return answer(acting, question);
      // With its query, because the page after a no is the one that had the form.
      const { pathname, search } = urlOf(call.request);
      const action = `${visit.root}${pathname}${search}`;
      return page(call, { session, view: confirmView({ question, change: chosen, form, action }) });
    }
    return answer(acting, await refusedAsAnswer(() => chosen.run(visit, form)));
  }

  async function answer({ call, session, visit, route, form }: Acting, acted: Acted) {
    switch (acted.kind) {
      case "go": {
        const to = `${visit.root}/console${acted.to === "" ? "" : `/${acted.to}`}?done=${acted.done}`;
        return new Response(null, {
          status: 303,
          headers: { ...PRIVATE_PAGE_HEADERS, Location: to },
        });
      }
      case "show":
        return page(call, { session, view: acted.view });
      case "refused": {
        const view = await route.show(visit, form);
        return page(call, { session, view, message: messageOfRefusal(acted), status: 422 });
      }
    }
  }

  /** In the place of a page that needs a session, to which the sign-in leads back. */
  function signInPage(call: RoutedCall): Response {
    const { request } = call;
    const { pathname, search } = urlOf(request);
    const view = signInView(rootOf(pathname), nextOf(pathname + search));
    const isForm = request.method === "POST";
    const hadSession = cookieToken(request.headers, isOverTls(services, request)) !== undefined;
    const why = isForm
      ? "You are not signed in any more, so nothing was done or saved. Sign in, and fill in the form again."
      : hadSession
        ? "Your session has ended. Sign in to go on."
        : undefined;
    const message = messageOf("bad", why);
    return page(call, { session: undefined, view, message, status: isForm ? 401 : 200 });
  }

  return app
    .get(
      "/console/sign-in",
      shown(async ({ call }: Routed) => {
        const { pathname, searchParams } = urlOf(call.request);
        const next = nextOf(searchParams.get("next"));
        return page(call, { session: undefined, view: signInView(rootOf(pathname), next) });
      }),
      hidden,
    )
    .post(
      "/console/sign-in",
      shown(async ({ call, server }: Routed) => {
        requireOwnSite(call);
        const address = operatorsListener.addressOf(call.request, server);
        const forgive = tries.begin(address);
        const form = await readForm(services, call, { server });
        const key = form.text("key");
        const next = nextOf(form.text("next"));
        const why = await refusalOfKey(call, key);
        if (why !== undefined) {
          const { pathname } = urlOf(call.request);
          const view = signInView(rootOf(pathname), next);
          return page(call, {
            session: undefined,
            view,
            message: messageOf("bad", why),
            status: 401,
          });
        }
        forgive();
        const token = await beginSession(database, { key, isOwnKey: false });
        return signedIn(call, token, next === undefined ? "../console" : `..${next}`);
      }),
      hidden,
    )
    .get(
      "/console/link/:token",
      shown(async ({ call, params = {} }: Routed) => {
        const linked = await findLink(operator(), givenLink(call, params));
        if (linked === undefined) return usedUpPage(call);
        const session = await sessionOf(services, call.request);
        return page(call, { session, view: linkView(linked, session) });
      }),
      hidden,
    )
    .post(
      "/console/link/:token",
      shown(async ({ call, params = {} }: Routed) => {
        requireOwnSite(call);
        const token = await openLink(operator(), givenLink(call, params));
        return token === undefined ? usedUpPage(call) : signedIn(call, token, "../../console");
      }),
      hidden,
    )
    .post(
      "/console/sign-out",
      shown(async ({ call, server }: Routed) => {
        requireOwnSite(call);
        const session = await sessionOf(services, call.request);
        const form = await readForm(services, call, session ?? { server });
        if (session !== undefined) {
          const isEverywhere = form.text("everywhere") === "yes";
          await endSessions(operator(), session, { isEverywhere });
        }
        return signedIn(call, undefined, "../console/sign-in");
      }),
      hidden,
    );

  function givenLink({ request }: RoutedCall, { token = "" }: NonNullable<Routed["params"]>) {
    return { linkToken: token, isForOperators: operatorsListener.serves(request) };
  }

  function usedUpPage(call: RoutedCall): Response {
    const detail =
      "A link signs in once, within 15 minutes, and this one is used up, too old, or none. Ask for a new one, or sign in with a key.";
    const view = problemView("This link does not work any more", detail, {
      href: "../../console/sign-in",
      text: "Sign in with a key",
    });
    return page(call, { session: undefined, view, status: 410 });
  }

  function signedIn({ request }: RoutedCall, token: string | undefined, to: string): Response {
    const cookie = cookieOf(token, isOverTls(services, request));
    const headers = { "Set-Cookie": cookie, Location: to };
    return new Response(null, { status: 303, headers: { ...PRIVATE_PAGE_HEADERS, ...headers } });
  }

  /** Why a key can't sign in; undefined if it can. */
  async function refusalOfKey(call: RoutedCall, key: string): Promise<string | undefined> {
    const permission = permissionOf(key);
    if (permission === undefined) return "That is no key of this gateway. Paste the whole key.";
    if (permission === "admin") {
      if (!operatorsListener.serves(call.request)) {
        return "Operators sign in at an address of their own, which is not this one.";
      }
      const found = await database.row("find_admin_key", { key_hash: hashKey(key) });
      return found === undefined ? "The key is not known, or it has ended." : undefined;
    }
    try {
      const { caller } = await keys.identify(key, permission);
      return caller.isAgent
        ? "This is the key of a connected agent, which can't sign in. Paste a key of your own."
        : undefined;
    } catch (error) {
      if (error instanceof Problem && error.status < 500) return error.detailIn(PAGE_WORDS);
      throw error;
    }
  }
}

interface PageRest {
  readonly session: Session | undefined;
  readonly view: View;
  readonly message?: ReturnType<typeof messageOf>;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Routed {
  readonly call: RoutedCall;
  readonly params?: Readonly<Record<string, string>>;
  readonly server?: Peer | null;
}

/** What a function refuses is an answer to the form. What fails is not. */
async function refusedAsAnswer<Answer>(run: () => Promise<Answer>): Promise<Answer | Refused> {
  try {
    return await run();
  } catch (error) {
    const problem = error instanceof Problem ? error : problemOf(error);
    if (problem.status >= 500) throw error;
    return refusalOf({ detail: problem.detailIn(PAGE_WORDS), errors: problem.options.errors });
  }
}
