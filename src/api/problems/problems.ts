/**
 * A plugin that answers every error of a route with an RFC 9457 problem document.
 *
 * A `Problem` is sent as it is. A failed validation becomes one, database trouble is 503, and everything else is a
 * logged 500. A browser that opens an address outside the API gets the problem as a page. See `src/spec/decisions.md`,
 * section 2.
 *
 * @module
 */
import { Elysia, ValidationError } from "elysia";
import type { Answer } from "../../http/answer.ts";
import { callPlugin, createCall, type HttpContext, type RoutedCall } from "../../http/call.ts";
import {
  Problem,
  type ProblemCode,
  problemAnswer,
  retryAfterOf,
  unavailable,
} from "../../http/problem_details.ts";
import { urlOf } from "../../http/query_string.ts";
import { respond } from "../../http/respond.ts";
import { wantsHtml } from "../../http/wants_html.ts";
import { codeOf, messageOf } from "../../lib/error_fields.ts";
import type { Log } from "../../lib/log.ts";
import type { Throttle } from "../../lib/throttle.ts";
import { MS_PER_SECOND } from "../../lib/time_units.ts";
import { Refused } from "../../operator/refused.ts";
import { rootOf } from "../../pages/layout/page.tsx";
import { PRIVATE_PAGE_HEADERS } from "../../pages/layout/page_headers.ts";
import { renderProblem } from "../../pages/layout/problem_page.tsx";
import {
  DatabaseOverloadedError,
  DatabaseTimeSpentError,
  DatabaseUnavailableError,
} from "../../postgres/client/database.ts";
import { isDiskFull } from "../../postgres/client/failures.ts";
import { rateLimitedFor } from "../callers/rate_headers.ts";
import { routeLabel } from "../operations/observe.ts";
import { wordsOf } from "../tool_request.ts";
import { invalidRequestPart } from "./validation.ts";

/** `Retry-After` of a 503 is this many times the current wait, so that the queue shrinks. */
const RETRY_AFTER_LINES = 2;

/** When to request a report again that took too long. */
const REPORT_RETRY_SECONDS = 5;

/** Codes that only the owner of a feed gets, so the key is proven first. */
const PROVEN_FIRST: ReadonlySet<ProblemCode> = new Set(["FEED_FORBIDDEN", "FEED_SUSPENDED"]);

/** Answers every error of the routes registered after it. */
export function problems(http: HttpContext) {
  return new Elysia({ name: "problems" })
    .use(callPlugin())
    .onError({ as: "global" }, async ({ call: known, error, request }) => {
      // Without a listener, Elysia itself finds no route, and then no plugin has created the call.
      const call = known ?? createCall(request, "/*");
      const problem = await problemFor(call, error);
      if (problem.status >= 500) logFailure(http.log, call, error);
      return respondProblem(http, call, problem);
    });
}

/** The problem that a client gets for an error. Unknown errors become 500, and database trouble 503. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof Refused) return problemOfRefused(error);
  if (error instanceof DatabaseUnavailableError) {
    return unavailable(unavailableDetail(error), { cause: error });
  }
  if (error instanceof DatabaseTimeSpentError) {
    const { retryAfterMs, budgetMs: limit } = error;
    return rateLimitedFor(retryAfterMs, { limit, of: "milliseconds of database time" });
  }
  return new Problem("INTERNAL", {
    detail: "The gateway failed. Try again, and report the request_id if the error persists.",
    cause: error,
  });
}

function unavailableDetail(error: DatabaseUnavailableError): string {
  if (error instanceof DatabaseOverloadedError) {
    return "The gateway is overloaded. Try again in a second.";
  }
  if (isDiskFull(error.cause)) {
    return "The gateway's database has run out of disk space, so nothing can be stored. Its operator must free some space.";
  }
  return "The gateway's database can't be reached or is overloaded. Try again shortly.";
}

/** The problem of a refused operator action. `PROBLEMS` has the status of each code. */
function problemOfRefused({ code, message }: Refused): Problem {
  // A message of several sentences ends with a period.
  const end = message.endsWith(".") ? "" : ".";
  const detail = `${message.charAt(0).toUpperCase()}${message.slice(1)}${end}`;
  if (code !== "REPORT_TOO_LONG") return new Problem(code, { detail });
  return new Problem(code, {
    detail,
    extras: { retry_after_ms: REPORT_RETRY_SECONDS * MS_PER_SECOND },
    headers: { "Retry-After": String(REPORT_RETRY_SECONDS) },
  });
}

/** The response to a handler's outcome. */
export function respondOutcome(
  http: HttpContext,
  call: RoutedCall,
  outcome: Answer | Problem,
): Response | Promise<Response> {
  return outcome instanceof Problem ? respondProblem(http, call, outcome) : respond(outcome);
}

/** The answer to a problem. 503s of routes with a key, and an account's refusals, are delayed. */
async function respondProblem(
  { baseUrl, refusals, refusalsOf, hasConsole }: HttpContext,
  { request, requestId, isKeyed, subject }: RoutedCall,
  problem: Problem,
): Promise<Response> {
  subject.code = problem.code;
  // /readyz answers immediately.
  const isOverload = isKeyed && problem.code === "UNAVAILABLE";
  const retryAfterSeconds = isOverload ? await takeTurn(refusals) : undefined;
  if (!isOverload && subject.accountId !== undefined) await refusalsOf(subject.accountId).pass();
  if (!isKeyed && isOfBrowser(request)) {
    const root = rootOf(urlOf(request).pathname);
    const headers = {
      ...problem.options.headers,
      ...retryAfterOf(problem),
      ...PRIVATE_PAGE_HEADERS,
      Vary: "Accept",
    };
    const body = renderProblem(problem, { root, requestId, hasConsole });
    return respond({ status: problem.status, headers, body });
  }
  const words = wordsOf(request);
  const context = { requestId, isKeyed, words, baseUrl: baseUrl(), retryAfterSeconds };
  return respond(problemAnswer(problem, context));
}

/** A page's links are relative to its path, so a page at a very long path would be much larger than its request. */
const PAGE_URL_LENGTH_MAX = 1_000;

/** Whether a person sees the answer. */
function isOfBrowser({ method, url, headers }: Request): boolean {
  const isPage = method === "GET" || method === "HEAD";
  return isPage && url.length <= PAGE_URL_LENGTH_MAX && wantsHtml(headers.get("accept"));
}

/** The problem that the client gets. */
async function problemFor({ proveKey }: RoutedCall, error: unknown): Promise<Problem> {
  const problem = error instanceof ValidationError ? invalidRequestPart(error) : problemOf(error);
  const isProvenFirst = problem.status === 400 || PROVEN_FIRST.has(problem.code);
  if (!isProvenFirst || proveKey === undefined) return problem;
  // A bad key is reported before a bad parameter or another account's feed, and a cached key may have been revoked.
  return proveKey().then(() => problem, problemOf);
}

/** Delays a 503. Returns the seconds after which the client should retry, or undefined if there is no queue. */
async function takeTurn(refusals: Throttle): Promise<number | undefined> {
  const { waitSeconds } = refusals;
  await refusals.pass();
  return waitSeconds === 0 ? undefined : Math.ceil(RETRY_AFTER_LINES * waitSeconds);
}

/** Logs an internal error with all its causes. Database trouble fails many requests, so it takes only one line. */
function logFailure(log: Log, { requestId, route: path }: RoutedCall, error: unknown): void {
  const route = routeLabel(path);
  const fault = error instanceof Problem ? error.options.cause : error;
  // Deliberate refusals are counted by metrics. Logging them would add to the load that causes them.
  if (fault === undefined || fault instanceof DatabaseOverloadedError) return;
  if (fault instanceof DatabaseUnavailableError) {
    const cause = fault.cause ?? fault;
    const [code, reason] = [codeOf(cause), messageOf(cause)];
    log.warn("database unavailable", { request_id: requestId, route, code, reason });
    return;
  }
  log.error("request failed", { request_id: requestId, route, error: fault });
}
