/**
 * Calls of the gateway's own routes on behalf of an MCP client.
 *
 * A tool is a request to a route that exists, with the client's key. So the same checks, limits, charges,
 * receipts and log hold for it as over HTTP, and there is nothing to keep in step.
 *
 * @module
 */
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
  /** Beside the client's key. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

/** Asks a route of this gateway. Never rejects: what fails is an answer, too. */
export type AskRoute = (request: OwnRequest) => Promise<OwnAnswer>;

/** What a message is answered with. */
export interface Exchange {
  readonly services: Services;
  /** The app that has all other routes. */
  readonly handle: (request: Request) => Promise<Response>;
  /** The request that the message came with. */
  readonly request: Request;
  /** Its routes are called under the same id. */
  readonly requestId: string;
}

/** Of the client's request, what goes with every call. */
const PASSED_ON = ["x-api-key", "authorization", "traceparent"];

export function ownRoutes({ services, handle, request, requestId }: Exchange): AskRoute {
  const baseUrl = services.http.baseUrl();
  const passedOn: Record<string, string> = { "x-request-id": requestId };
  for (const name of PASSED_ON) {
    const value = request.headers.get(name);
    if (value !== null) passedOn[name] = value;
  }
  return async ({ path, headers: own = {} }) => {
    const headers = { ...passedOn };
    for (const [name, value] of Object.entries(own)) {
      if (value !== undefined) headers[name] = value;
    }
    const response = await handle(new Request(baseUrl + path, { headers, signal: request.signal }));
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
