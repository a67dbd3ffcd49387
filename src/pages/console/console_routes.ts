/**
 * `/console`: pages for operators, providers and consumers. See `src/spec/beyond.md`, section 5.
 *
 * Each page is an entry in the table of its role (`visit.ts`). Every change calls one function of the API. Changes that
 * can't be undone are confirmed first.
 *
 * @module
 */
import { Elysia } from "elysia";
import type { Handle } from "../../api/own_routes.ts";
import { problemOf } from "../../api/problems/problems.ts";
import type { BuyFeed } from "../../consumer/buy_feed.ts";
import { callPlugin, type RoutedCall } from "../../http/call.ts";
import { PAGE_WORDS } from "../../http/face_words.ts";
import { Problem } from "../../http/problem_details.ts";
import { urlOf } from "../../http/query_string.ts";
import { respond } from "../../http/respond.ts";
import { ownerRequired } from "../../people/members.ts";
import type { Services } from "../../services.ts";
import { liveEvents, versionSeen } from "../layout/live_events.ts";
import { rootOf } from "../layout/page.tsx";
import { PRIVATE_PAGE_HEADERS } from "../layout/page_headers.ts";
import { admitBy } from "./admit.ts";
import { CONSUMER_PAGES } from "./consumer/consumer_pages.ts";
import { cookieValue, isOverTls, SESSION_COOKIE } from "./cookie.ts";
import { readForm } from "./forms.ts";
import { chooseView, confirmView } from "./frame.tsx";
import { addOverviewTopic, liveSessions } from "./live_visits.ts";
import { OPERATOR_PAGES } from "./operator/operator_pages.ts";
import { askApi, askText } from "./own_api.ts";
import { PAGE_ROUTE, pageAnswers, type Routed } from "./page_answers.ts";
import { messageOf, messageOfRefusal } from "./page_messages.tsx";
import { PERSON_PAGES } from "./person/person_pages.ts";
import { personRoutes } from "./person_routes.ts";
import { PROVIDER_PAGES } from "./provider/provider_pages.ts";
import { refusalOf } from "./refusal_messages.ts";
import { actingAs, type Role, type Session, visitorOf } from "./sessions.ts";
import { placeOf } from "./sign_in_answers.ts";
import { createSignIn } from "./sign_in_routes.ts";
import {
  type Acted,
  doneText,
  type Form,
  type PageRoute,
  type Refused,
  type TopUpByCard,
  type Visit,
} from "./visit.ts";

const PAGES: Readonly<Record<Role, readonly PageRoute[]>> = {
  admin: OPERATOR_PAGES,
  write: PROVIDER_PAGES,
  read: CONSUMER_PAGES,
};
/** All paths below `/console`, each once. */
const PATHS = [
  ...new Set([
    ...Object.values(PAGES).flatMap((pages) => pages.map(({ path }) => path)),
    ...PERSON_PAGES.map(({ page }) => page.path),
  ]),
];
/** Those of pages that update while they are open. */
const LIVE_PATHS = PATHS.filter((path) =>
  [...Object.values(PAGES).flat(), ...PERSON_PAGES.map(({ page }) => page)].some(
    (page) => page.path === path && page.watch !== undefined,
  ),
);
/** Routes that no customer has a page of. */
export const OPERATOR_PAGE_ROUTES: ReadonlySet<string> = new Set(
  OPERATOR_PAGES.map(({ path }) => path)
    .filter((path) => !isOfCustomers(path))
    .map((path) => `/console/${path}`),
);

function isOfCustomers(path: string): boolean {
  const pages = [...PROVIDER_PAGES, ...CONSUMER_PAGES, ...PERSON_PAGES.map(({ page }) => page)];
  return pages.some((page) => page.path === path);
}

interface ConsoleParts {
  /** The app that has the routes of the API. */
  readonly handle: Handle;
  readonly buyFeed: BuyFeed;
  /** Undefined if accounts can't pay by card. */
  readonly topUpByCard: TopUpByCard | undefined;
}

export function consoleRoutes(services: Services, { handle, buyFeed, topUpByCard }: ConsoleParts) {
  const { config, operatorDatabase, http } = services;
  const answers = pageAnswers(services);
  const { page, problemPage, shown, goTo } = answers;
  const { routes: signInRoutes, signInPage } = createSignIn(services, answers);

  /** The same for whoever is signed in, which its problems show, too. Without a session it is the sign-in. */
  function shownTo(handler: (context: Routed, session: Session) => Promise<Response>) {
    return shown(async (context) => {
      const { call } = context;
      const { session, person } = await visitorOf(services, call.request);
      // Removed from the account, or not in one yet.
      if (person !== undefined) {
        return goTo(`${rootOf(urlOf(call.request).pathname)}/console/choose`);
      }
      if (session === undefined) return signInInstead(call);
      try {
        return await handler(context, session);
      } catch (error) {
        return problemPage(call, error, { session });
      }
    });
  }

  function visitOf(call: RoutedCall, session: Session, params: Visit["params"]): Visit {
    const { pathname, searchParams } = urlOf(call.request);
    const text = askText({
      handle,
      key: session.key,
      actor: session.actor,
      requestId: call.requestId,
    });
    call.isKeyed = true;
    call.subject.keyId = session.keyId;
    if (session.account !== undefined) call.subject.accountId = session.account.id;
    return {
      session,
      operator: services.operator(),
      keeping: {
        database: operatorDatabase,
        secret: services.cursorSecret,
        waitMsMax: services.intervals.repeatWait,
      },
      actor: session.actor,
      services,
      call,
      admit: admitBy(services, session),
      buyFeed,
      ask: askApi(text),
      askText: text,
      params,
      // PostgreSQL accepts no NUL in a text.
      query: new URLSearchParams(searchParams.toString().replaceAll("%00", "")),
      root: rootOf(pathname),
      baseUrl: http.baseUrl(),
      topUpByCard,
    };
  }

  /** The page at a path, and the session with the key that serves it. */
  function routeOf(session: Session, path: string): Pick<Acting, "route" | "session"> {
    if (session.member === undefined) {
      const route = PAGES[session.role].find((each) => each.path === path);
      if (route !== undefined) return { route, session };
    } else {
      const found = PERSON_PAGES.find(({ page }) => page.path === path);
      if (found !== undefined) {
        return { route: found.page, session: actingAs(session, found.role) };
      }
    }
    throw noSuchPage();
  }

  addOverviewTopic(services);
  const isLive = liveSessions(services.database);

  /** The events of a page, for whoever may see the page, and as long as that holds. */
  async function liveResponse(
    { call, params = {}, server }: Routed,
    signedIn: Session,
    path: string,
  ): Promise<Response> {
    const { route, session } = routeOf(signedIn, path);
    if (route.watch === undefined) throw noSuchPage();
    const { topic, version } = await route.watch(visitOf(call, session, params));
    const seen = versionSeen(call.request) ?? version;
    // What readers don't see can't be waited for.
    if (version === undefined || seen === undefined) throw noSuchPage();
    return respond(
      liveEvents(
        services,
        { topic, version: seen, isAllowed: () => isLive(session.token) },
        { who: session.account?.id ?? session.keyId, request: call.request, server },
      ),
    );
  }

  const app = new Elysia({ name: "console" }).use(callPlugin()).use(signInRoutes);
  if (config.mail !== undefined || config.oidc !== undefined) {
    app.use(personRoutes(services, answers));
  }

  for (const path of PATHS) {
    const place = path === "" ? "/console" : `/console/${path}`;
    app.route(
      "GET",
      place,
      shownTo(async ({ call, params = {} }, signedIn) => {
        const { route, session } = routeOf(signedIn, path);
        const visit = visitOf(call, session, params);
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
      PAGE_ROUTE,
    );
    app.route(
      "POST",
      place,
      shownTo(async ({ call, params = {} }, signedIn) => {
        const { route, session } = routeOf(signedIn, path);
        const visit = visitOf(call, session, params);
        const form = await readForm(services, call, session);
        return act({ call, session, visit, route, form });
      }),
      PAGE_ROUTE,
    );
  }

  for (const path of LIVE_PATHS) {
    app.route(
      "GET",
      path === "" ? "/console/live" : `/console/${path}/live`,
      shownTo((context, signedIn) => liveResponse(context, signedIn, path)),
      PAGE_ROUTE,
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
      throw new Problem("INVALID_PARAMETER", {
        detail: "This button is not on the form. Reload the page.",
      });
    }
    if ("isForOwners" in chosen && chosen.isForOwners && session.member?.role === "member") {
      return answer(acting, await refusedAsAnswer(() => Promise.reject(ownerRequired())));
    }
    if ("look" in chosen) {
      return answer(acting, await refusedAsAnswer(() => chosen.look(visit, form)));
    }
    if (form.text("confirmed") === "no") {
      return page(call, { session, view: await route.show(visit, form) });
    }
    if (chosen.confirm !== undefined && form.text("confirmed") !== "yes") {
      const { confirm } = chosen;
      const asked = await refusedAsAnswer(async () => confirm(form, visit));
      const question =
        typeof asked === "string" ? ({ kind: "ask", sentence: asked } as const) : asked;
      if (question.kind === "refused") return answer(acting, question);
      // With its query, because the page after a no is the one that had the form.
      const { pathname, search } = urlOf(call.request);
      const action = `${visit.root}${pathname}${search}`;
      const view =
        question.kind === "choose"
          ? chooseView({ choice: question, form, action })
          : confirmView({ question, change: chosen, form, action });
      return page(call, { session, view });
    }
    return answer(acting, await refusedAsAnswer(() => chosen.run(visit, form)));
  }

  async function answer({ call, session, visit, route, form }: Acting, acted: Acted) {
    switch (acted.kind) {
      case "go": {
        const place = acted.to === "" ? "" : `/${acted.to}`;
        const join = place.includes("?") ? "&" : "?";
        return goTo(`${visit.root}/console${place}${join}done=${acted.done}`);
      }
      case "show":
        return page(call, { session, view: acted.view });
      case "refused": {
        const view = await route.show(visit, form, acted);
        return page(call, { session, view, message: messageOfRefusal(acted), status: 422 });
      }
    }
  }

  /** In the place of a page that needs a session, to which the sign-in leads back. */
  function signInInstead(call: RoutedCall): Promise<Response> {
    const { request } = call;
    const { pathname, search } = urlOf(request);
    const isForm = request.method === "POST";
    const hadSession =
      cookieValue(request.headers, SESSION_COOKIE, isOverTls(services, request)) !== undefined;
    const why = isForm
      ? "Your session has ended. Nothing was changed or saved. Sign in and fill in the form again."
      : hadSession
        ? "Your session has ended. Sign in to continue."
        : undefined;
    return signInPage(call, placeOf(call, pathname + search), { why, status: isForm ? 401 : 200 });
  }

  return app;
}

function noSuchPage(): Problem {
  return new Problem("ROUTE_NOT_FOUND", {
    detail: "This page isn't available for your role. The menu lists the pages that are.",
  });
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
