/**
 * What every route shares: a request id, errors as problem details, HEAD, and the end of a drain.
 *
 * @module
 */

import type { Log } from "../lib/log.ts";
import { attempt, chain, type MaybePromise } from "../lib/maybe_promise.ts";
import type { Pace } from "../lib/pace.ts";
import { MS_PER_SECOND } from "../lib/time_units.ts";
import { DatabaseOverloadedError, DatabaseUnavailableError } from "../postgres/client/query.ts";
import type { Answer } from "./answer.ts";
import type { Cors } from "./cors.ts";
import { Problem, problemAnswer, problemOf } from "./errors.ts";
import type { Metrics } from "./metrics.ts";
import { searchOf } from "./query_string.ts";
import { declaredBytes } from "./read_body.ts";
import { requestIdOf } from "./request_id.ts";

/** `Retry-After` of a 503 is so many times the wait of now, so that the line gets shorter. */
const RETRY_AFTER_LINES = 2;

/** What the HTTP layer knows of the server it runs in. */
export interface HttpContext {
  /** Public address without a trailing slash. */
  readonly baseUrl: () => string;
  /** While true, answers ask the client to close its connection. */
  readonly isDraining: () => boolean;
  /** Undefined: pages of other origins read nothing. */
  readonly cors: Cors | undefined;
  readonly log: Log;
  readonly metrics: Metrics;
  /**
   * Answers of 503 take turns. Clients that ask again as soon as they are refused would otherwise keep
   * the process at refusing: with 10,000 of them good answers fell to a fiftieth.
   */
  readonly refusals: Pace;
}

/** One request on its way through a route. */
export interface Call {
  readonly request: Request;
  readonly requestId: string;
  /** The query without `?`, raw. */
  readonly search: string;
  /** HEAD: every check of a GET, but uncharged and in a window of its own; its body is made for the length. */
  readonly isHead: boolean;
  /** Whose call and of which feed, as far as that is known: for the log, never for the answer. */
  readonly subject: { accountId?: string; keyId?: string; feedId?: string };
}

export interface EndpointOptions {
  /** Pattern of the route, for logs and metrics: `/v1/feed/{id}`. */
  readonly route: string;
  /** Whether the route needs a key; its answers are then private. */
  readonly isKeyed: boolean;
}

/** A problem is thrown, or returned where it is an everyday outcome: that costs less. */
export type Handler = (call: Call, parameter: string) => MaybePromise<Answer | Problem>;

/** Runs a handler for a request; what it throws is a problem. `parameter` is the path's one parameter, or "". */
export type Endpoint = (request: Request, parameter?: string) => MaybePromise<Response>;

/** An endpoint as Elysia's handler and, `direct`, as Bun's. */
export interface RouteHandler {
  /** Elysia routes what Bun's router misses, such as `/v1/feed/../catalog`; a path without parameters has none. */
  (context: {
    request: Request;
    params?: Readonly<Record<string, string>>;
  }): MaybePromise<Response>;
  readonly direct: (request: RoutedRequest) => MaybePromise<Response>;
}

/** What Bun's router hands to a route. */
type RoutedRequest = Request & { readonly params: Readonly<Record<string, string>> };

/** `parameter` is the name of the path's one parameter, where it has one. */
export function handlerOf(endpoint: Endpoint, parameter = ""): RouteHandler {
  return Object.assign(
    ({ request, params }: Parameters<RouteHandler>[0]) => endpoint(request, params?.[parameter]),
    { direct: (request: RoutedRequest) => endpoint(request, request.params[parameter]) },
  );
}

export function createEndpoint(
  context: HttpContext,
  options: EndpointOptions,
  handler: Handler,
): Endpoint {
  const { route, isKeyed } = options;
  const answered = context.metrics.answersOf(route);

  function failed(call: Call, error: unknown): Problem {
    const problem = problemOf(error);
    if (problem.status >= 500) {
      logFailure(context.log, { requestId: call.requestId, route, error });
    }
    return problem;
  }

  function answerOf(call: Call, outcome: Answer | Problem): MaybePromise<Answer> {
    if (!(outcome instanceof Problem)) return outcome;
    const baseUrl = context.baseUrl();
    const { requestId } = call;
    // Who asks for /readyz is told at once.
    if (!isKeyed || outcome.code !== "UNAVAILABLE") {
      return problemAnswer(outcome, { requestId, isKeyed, baseUrl });
    }
    return takeTurn(context.refusals).then((retryAfterSeconds) =>
      problemAnswer(outcome, { requestId, isKeyed, baseUrl, retryAfterSeconds }),
    );
  }

  function respond(call: Call, startedMs: number, answer: Answer): Response {
    const { status = 200, headers, sharedHeaders, body } = answer;
    headers["X-Request-Id"] = call.requestId;
    if (context.isDraining()) headers.Connection = "close";
    // Bun sends it with every other answer. RFC 9110 6.6.1.
    if (call.isHead) headers.Date = new Date().toUTCString();
    const response = new Response(body, { status, headers: sharedHeaders ?? headers });
    if (sharedHeaders !== undefined) {
      for (const name in headers) response.headers.set(name, headers[name] as string);
    }
    context.cors?.decorate(call.request, response.headers);
    const ms = performance.now() - startedMs;
    answered(status, ms / MS_PER_SECOND);
    if (context.log.isEnabled("info")) logAnswer(context.log, { call, route, status, ms });
    return response;
  }

  return (request, parameter = "") => {
    const startedMs = performance.now();
    const call: Call = {
      request,
      requestId: requestIdOf(request.headers),
      search: searchOf(request.url),
      isHead: request.method === "HEAD",
      subject: {},
    };
    const outcome = attempt(
      () => {
        requireOneHost(request);
        return handler(call, parameter);
      },
      (error) => failed(call, error),
    );
    const answer = chain(outcome, (settled) => answerOf(call, settled));
    return chain(answer, (made) => {
      try {
        return respond(call, startedMs, made);
      } catch (error) {
        // A fault of ours like any other, but for what the answer was charged: nothing that goes into a
        // header may come this far.
        return chain(answerOf(call, failed(call, error)), (told) => respond(call, startedMs, told));
      }
    });
  };
}

/** Bun joins two by a comma, which no host has. RFC 9112, 3.2. @throws {Problem} 400 `INVALID_REQUEST` */
function requireOneHost({ headers }: Request): void {
  if (headers.get("host")?.includes(",") !== true) return;
  throw new Problem("INVALID_REQUEST", { detail: "Send one Host header with one host." });
}

/** When it is sensible to come again; undefined where nobody is in line. */
async function takeTurn(refusals: Pace): Promise<number | undefined> {
  const { waitSeconds } = refusals;
  await refusals.turn();
  return waitSeconds === 0 ? undefined : Math.ceil(RETRY_AFTER_LINES * waitSeconds);
}

/** One line a request; ids only, never a key, a query or a payload. */
function logAnswer(
  log: Log,
  answer: { call: Call; route: string; status: number; ms: number },
): void {
  const { call, route, status, ms } = answer;
  const { headers, method } = call.request;
  log.info("request", {
    request_id: call.requestId,
    trace_id: traceIdOf(headers.get("traceparent")),
    method,
    route,
    status,
    ms: Math.round(ms * MS_PER_SECOND) / MS_PER_SECOND,
    account: call.subject.accountId,
    key: call.subject.keyId,
    feed: call.subject.feedId,
    request_bytes: declaredBytes(call.request) || undefined,
  });
}

/** A fault of ours with all its causes; trouble with the database, which fails many, in one line. */
function logFailure(
  log: Log,
  { requestId, route, error }: { requestId: string; route: string; error: unknown },
): void {
  const fault = error instanceof Problem ? error.options.cause : error;
  // What is refused on purpose is counted: too much load would only be more of it.
  if (fault === undefined || fault instanceof DatabaseOverloadedError) return;
  if (fault instanceof DatabaseUnavailableError) {
    const { code, message } = (fault.cause ?? fault) as { code?: string; message: string };
    log.warn("database unavailable", { request_id: requestId, route, code, reason: message });
    return;
  }
  log.error("request failed", { request_id: requestId, route, error: fault });
}

/** The trace id of a W3C `traceparent`. */
function traceIdOf(traceparent: string | null): string | undefined {
  return traceparent === null
    ? undefined
    : /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$/.exec(traceparent)?.[1];
}
