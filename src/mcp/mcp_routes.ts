/**
 * `POST /mcp`: the Model Context Protocol over streamable HTTP, without sessions. Beyond 4.
 *
 * @module
 */
import {
  createMcpHandler,
  INVALID_REQUEST,
  PARSE_ERROR,
  readRequestBody,
} from "@modelcontextprotocol/server";
import { Elysia } from "elysia";
import { Problem } from "../http/errors.ts";
import { readKeyOf } from "../http/keys.ts";
import { NO_PARAMETERS } from "../http/parameters.ts";
import { rateLimited } from "../http/rate_headers.ts";
import { present } from "../lib/assert.ts";
import { MS_PER_SECOND } from "../lib/time_units.ts";
import { TokenBucket } from "../lib/token_bucket.ts";
import {
  IDLE_SECONDS_MAX,
  LONG_POLL_SECONDS,
  MCP_ANONYMOUS_LIMIT,
  MCP_BODY_BYTES_MAX,
  WINDOW_MS,
} from "../limits.ts";
import type { Services } from "../services.ts";
import { createMcpServer, serverCard } from "./server.ts";

/** Names of the machine itself, as a URL has them. */
const LOOPBACK: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** `handle` is the app that has all the other routes. */
export function mcpRoutes(services: Services, handle: (request: Request) => Promise<Response>) {
  const anonymous = new TokenBucket({ capacity: MCP_ANONYMOUS_LIMIT, fillMs: WINDOW_MS });
  const handler = createMcpHandler(
    ({ requestInfo }) => createMcpServer(services, handle, present(requestInfo)),
    {
      onerror: (error) => services.log.debug("MCP request refused", { error }),
    },
  );
  return new Elysia({ name: "mcp" })
    .get(
      "/.well-known/mcp/server-card.json",
      () =>
        Response.json(serverCard(services.http.baseUrl()), {
          headers: { "Cache-Control": "public, max-age=300" },
        }),
      { query: NO_PARAMETERS, detail: { hide: true } },
    )
    .post(
      "/mcp",
      async ({ request, server }) => {
        refuseForeignOrigin(services, request);
        if (readKeyOf(request.headers) === undefined) takeAnonymous(anonymous);
        const message = await readMessage(request);
        if (message instanceof Response) return message;
        // A tool may wait as long as a long poll.
        server?.timeout(request, LONG_POLL_SECONDS + IDLE_SECONDS_MAX);
        return handler.fetch(request, { parsedBody: message.value });
      },
      { parse: "none", query: NO_PARAMETERS, detail: { hide: true } },
    );
}

/** The one message of a body, or why it is none. @throws {Problem} 413 */
async function readMessage(request: Request): Promise<{ readonly value: unknown } | Response> {
  const read = await readRequestBody(request, MCP_BODY_BYTES_MAX);
  if (read.tooLarge) {
    throw new Problem("PAYLOAD_TOO_LARGE", {
      detail: `A message has at most ${MCP_BODY_BYTES_MAX} bytes. Ask for less at once.`,
      extras: { limit: "request_body", max_bytes: MCP_BODY_BYTES_MAX },
      headers: { Connection: "close" },
    });
  }
  try {
    const value: unknown = JSON.parse(read.text);
    if (!Array.isArray(value)) return { value };
    return rpcError(INVALID_REQUEST, "Send one message, not an array of them.");
  } catch {
    return rpcError(PARSE_ERROR, "The body is not JSON.");
  }
}

/** To a message whose id is not known. */
function rpcError(code: number, message: string): Response {
  return Response.json({ jsonrpc: "2.0", id: null, error: { code, message } }, { status: 400 });
}

/**
 * A page of another site must not speak for whoever looks at it, even if it has made its name point at this
 * gateway (DNS rebinding). @throws {Problem} 403
 */
function refuseForeignOrigin({ http, config }: Services, request: Request): void {
  const origin = request.headers.get("origin");
  if (origin === null) return;
  const own = new URL(http.baseUrl());
  if (origin === own.origin) return;
  // Pages of one's own machine may call a gateway of that machine, whatever its name there is.
  if (LOOPBACK.has(own.hostname) && LOOPBACK.has(URL.parse(origin)?.hostname ?? "")) return;
  const { corsOrigins } = config;
  if (corsOrigins === "*" || corsOrigins?.includes(origin)) return;
  throw new Problem("INVALID_REQUEST", {
    status: 403,
    detail:
      "Pages of this origin may not call the gateway. The operator allows origins with FEEDGATE_CORS_ORIGINS.",
  });
}

/** @throws {Problem} 429 */
function takeAnonymous(bucket: TokenBucket): void {
  const retryAfterMs = bucket.take();
  if (retryAfterMs === 0) return;
  const nowMs = Date.now();
  const resetSeconds = Math.ceil((nowMs + retryAfterMs) / MS_PER_SECOND);
  const window = { limit: MCP_ANONYMOUS_LIMIT, remaining: 0, resetSeconds };
  throw rateLimited({ window, retryAfterMs }, nowMs, { of: "calls without a key" });
}
