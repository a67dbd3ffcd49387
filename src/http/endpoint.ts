/**
 * What every route shares: a request id, errors as problem details, HEAD, and the end of a drain.
 *
 * @module
 */
import type { Log } from "../lib/log.ts";
import { problemOf, problemResponse } from "./errors.ts";
import { searchOf } from "./query_string.ts";
import { requestIdOf } from "./request_id.ts";

/** What the HTTP layer knows of the server it runs in. */
export interface HttpContext {
  /** Public address without a trailing slash. */
  readonly baseUrl: () => string;
  /** While true, answers ask the client to close its connection. */
  readonly isDraining: () => boolean;
  readonly log: Log;
  /** Called after each answer, for metrics. */
  readonly onAnswer?: (answer: { route: string; status: number; ms: number }) => void;
}

/** One request on its way through a route. */
export interface Call {
  readonly request: Request;
  readonly requestId: string;
  /** The query without `?`, raw. */
  readonly search: string;
  /** HEAD: every check but window and credit, and no body. */
  readonly isHead: boolean;
}

export interface EndpointOptions {
  /** Pattern of the route, for logs and metrics: `/v1/feed/{id}`. */
  readonly route: string;
  /** Whether the route needs a key; its answers are then private. */
  readonly isKeyed: boolean;
}

export type Handler = (call: Call, parameter: string) => Promise<Response> | Response;

/** Runs a handler for a request; never throws. `parameter` is the path's one parameter, or "". */
export type Endpoint = (request: Request, parameter?: string) => Promise<Response>;

export function createEndpoint(
  context: HttpContext,
  options: EndpointOptions,
  handler: Handler,
): Endpoint {
  const { route, isKeyed } = options;
  return async (request, parameter = "") => {
    const startedMs = performance.now();
    const requestId = requestIdOf(request.headers);
    const isHead = request.method === "HEAD";
    let response: Response;
    try {
      const call = { request, requestId, search: searchOf(request.url), isHead };
      response = await handler(call, parameter);
      response.headers.set("X-Request-Id", requestId);
    } catch (error) {
      const problem = problemOf(error);
      if (problem.status >= 500) context.log.error("request failed", { requestId, route, error });
      response = problemResponse(problem, { requestId, isKeyed, baseUrl: context.baseUrl() });
    }
    if (context.isDraining()) response.headers.set("Connection", "close");
    const ms = performance.now() - startedMs;
    context.onAnswer?.({ route, status: response.status, ms });
    context.log.debug("answered", { requestId, route, status: response.status, ms });
    return response;
  };
}
