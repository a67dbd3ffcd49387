/**
 * Calls of the gateway's own routes on behalf of an MCP client.
 *
 * A tool is a request to a route that exists, with the client's key. So the same checks, limits, charges,
 * receipts and log hold for it as over HTTP, and there is nothing to keep in step.
 *
 * @module
 */
import { ToolRequest, type ToolWishes } from "../read/pipeline/tool_request.ts";
import type { Services } from "../services.ts";

/** The answer of a route: its status, its headers, and its body as text. */
export interface OwnAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

interface OwnRequest {
  /** With its query. */
  readonly path: string;
  /** Sent as JSON, by POST; without it, the route is asked by GET. */
  readonly body?: unknown;
  /** Beside the client's key. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** What HTTP has no words for. */
  readonly wishes?: ToolWishes;
}

/** Asks a route of this gateway. Never rejects: what fails is an answer, too. */
export type AskRoute = (request: OwnRequest) => Promise<OwnAnswer>;

/** How a message is answered. */
export interface Exchange {
  readonly services: Services;
  /** The app that has all other routes. */
  readonly handle: (request: Request) => Promise<Response>;
  /** The request that the message came with. */
  readonly request: Request;
  /** Its routes are called under the same id. */
  readonly requestId: string;
}

/**
 * Routes are found by the path alone. It is neither the public address, which may have a path of its own, nor the
 * client's `Host`, which may be none.
 */
export const WITHIN = "http://localhost";
/** The parts of the client's request that go with every call. */
const PASSED_ON = ["x-api-key", "authorization", "traceparent"];

export function ownRoutes({ handle, request, requestId }: Exchange): AskRoute {
  const passedOn: Record<string, string> = { "x-request-id": requestId };
  for (const name of PASSED_ON) {
    const value = request.headers.get(name);
    if (value !== null) passedOn[name] = value;
  }
  return async ({ path, body, headers: own = {}, wishes = {} }) => {
    const headers = { ...passedOn };
    if (body !== undefined) headers["content-type"] = "application/json";
    for (const [name, value] of Object.entries(own)) {
      if (value !== undefined) headers[name] = value;
    }
    const { signal } = request;
    const response = await handle(
      new ToolRequest(
        WITHIN + path,
        {
          headers,
          signal,
          ...(body !== undefined && { method: "POST", body: JSON.stringify(body) }),
        },
        wishes,
      ),
    );
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
}

/** `?a=1&b=2`, without what is undefined; "" where nothing is left. */
export function queryText(
  parameters: readonly (readonly [name: string, value: string | number | undefined])[],
): string {
  const query = new URLSearchParams();
  for (const [name, value] of parameters) {
    if (value !== undefined) query.append(name, String(value));
  }
  return query.size === 0 ? "" : `?${query}`;
}
