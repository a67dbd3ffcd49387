/**
 * Calls the gateway's own routes on behalf of an MCP client.
 *
 * A tool is a request to an existing route with the client's key, so tools and routes can't diverge.
 *
 * @module
 */
import { type Handle, type OwnAnswer, type OwnRequest, ownRoutes } from "../api/own_routes.ts";
import { ToolRequest, type ToolWishes } from "../api/tool_request.ts";
import type { Services } from "../services.ts";

interface ToolCall extends OwnRequest {
  /** What HTTP has no words for. */
  readonly wishes?: ToolWishes;
}

/** Calls a route of this gateway. Never rejects: a failure is also returned as an answer. */
export type AskRoute = (request: ToolCall) => Promise<OwnAnswer>;

/** How a message is answered. */
export interface Exchange {
  readonly services: Services;
  /** The app that has all other routes. */
  readonly handle: Handle;
  /** The request that the message came with. */
  readonly request: Request;
  /** Its routes are called under the same id. */
  readonly requestId: string;
  /** The digits of the message's id, if a double can't hold it. */
  readonly exactId?: string | undefined;
}

/** The parts of the client's request that go with every call. */
const PASSED_ON = ["x-api-key", "authorization", "traceparent"];

export function toolRoutes({ handle, request, requestId }: Exchange): AskRoute {
  const headers: Record<string, string> = { "x-request-id": requestId };
  for (const name of PASSED_ON) {
    const value = request.headers.get(name);
    if (value !== null) headers[name] = value;
  }
  return ownRoutes<ToolCall>({
    handle,
    headers,
    signal: request.signal,
    make: (url, init, { wishes = {} }) => new ToolRequest(url, init, wishes),
  });
}
