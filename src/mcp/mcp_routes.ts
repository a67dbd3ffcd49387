/**
 * `POST /mcp`: the Model Context Protocol over streamable HTTP, without sessions. `POST /mcp/connect` serves the same
 * to clients that expect OAuth: without a valid token, it returns 401 with a challenge. See `src/spec/beyond.md`,
 * sections 4 and 14.
 *
 * @module
 */
import { createMcpHandler, INVALID_REQUEST, PARSE_ERROR } from "@modelcontextprotocol/server";
import { Elysia } from "elysia";
import type { Caller } from "../admission/known_accounts.ts";
import { createNetworkLimit } from "../api/callers/network_limit.ts";
import { countUnlogged } from "../api/callers/unlogged_calls.ts";
import { anonymous } from "../api/callers/without_key.ts";
import { exactQuery, NO_PARAMETERS } from "../api/input/parameters.ts";
import { WITHIN } from "../api/own_routes.ts";
import { type Call, callPlugin, requestIdOf } from "../http/call.ts";
import type { HoldBytes } from "../http/load/body_budget.ts";
import { Problem } from "../http/problem_details.ts";
import { bodyTextOf, mediaTypeOf, receiveBody } from "../http/read_body.ts";
import { respond } from "../http/respond.ts";
import { present } from "../lib/assert.ts";
import { isLoopbackHost } from "../lib/public_address.ts";
import { isObject } from "../lib/records.ts";
import {
  IDLE_SECONDS_MAX,
  LONG_POLL_SECONDS,
  MCP_ANONYMOUS_BODY_BYTES_MAX,
  MCP_ANONYMOUS_LIMIT,
  MCP_ANONYMOUS_OF_NETWORK_LIMIT,
  MCP_BODY_BYTES_MAX,
} from "../limits.ts";
import { CONNECT_PATH, challengeOf } from "../oauth/metadata.ts";
import { connectReach, requireOwnMachine } from "../oauth/reach.ts";
import type { Services } from "../services.ts";
import { ACCEPTED, answerPlainCall, takesAnswers } from "./plain_call.ts";
import { createMcpServer, serverCard } from "./protocol_server.ts";
import type { Tool } from "./tool.ts";
import { toolsOf } from "./tool_list.ts";
import type { Exchange } from "./tool_routes.ts";
import { exactIdOf, parseDigits } from "./values.ts";

/** `handle` is the app that has all the other routes. */
export function mcpRoutes(services: Services, handle: (request: Request) => Promise<Response>) {
  const tools = toolsOf(services.config);
  const anonymousLimit = createNetworkLimit({
    limit: MCP_ANONYMOUS_LIMIT,
    networkLimit: MCP_ANONYMOUS_OF_NETWORK_LIMIT,
    of: "MCP calls without a key",
  });
  const handler = createMcpHandler(
    ({ requestInfo }) => {
      const request = present(requestInfo);
      const requestId = requestIdOf(request.headers);
      return createMcpServer({ services, handle, request, requestId });
    },
    {
      onerror: (error) => services.log.debug("MCP request refused", { error }),
    },
  );
  /** Parses the message and answers it. The body is held until then. */
  async function answer(
    { request, requestId }: Call,
    { hold, bytesMax = MCP_BODY_BYTES_MAX, onReceived, ask = handle, onMessage }: Answering,
  ) {
    const message = await readMessage(request, { hold, bytesMax });
    if (message instanceof Response) {
      await onMessage?.(undefined);
      return message;
    }
    onReceived();
    await onMessage?.(message.value);
    const { exactId } = message;
    const exchange = { services, handle: ask, request, requestId, exactId };
    const plain = await answerPlainCall(message.value, exchange);
    if (plain !== undefined) return plain;
    // The SDK knows ids of texts and doubles only.
    const standIn = crypto.randomUUID();
    const parsedBody =
      exactId === undefined ? message.value : Object.assign({}, message.value, { id: standIn });
    const { status, headers, body } = await handler.fetch(named(exchange), { parsedBody });
    const sent = await new Response(body).text();
    const text =
      exactId === undefined ? sent : sent.replace(`"id":"${standIn}"`, `"id":${exactId}`);
    // As a text, the body counts toward the limit of unsent bodies.
    return respond({ status, headers: Object.fromEntries(headers), body: text || null });
  }

  /** Counts a message that no route counts. @throws {Problem} 429 */
  const count = (caller: Caller) => countUnlogged(services, caller, "mcp");

  /** A tool may wait as long as a long poll. */
  const patience = (server: TimedServer | null, request: Request) => () =>
    server?.timeout(request, LONG_POLL_SECONDS + IDLE_SECONDS_MAX);

  const routes = new Elysia({ name: "mcp" })
    .use(callPlugin())
    .use(
      new Elysia({ name: "server card" }).use(anonymous(services)).get(
        "/.well-known/mcp/server-card.json",
        () =>
          Response.json(serverCard(services.http.baseUrl(), services.config), {
            headers: { "Cache-Control": "public, max-age=300" },
          }),
        { query: NO_PARAMETERS, detail: { hide: true } },
      ),
    )
    .post(
      "/mcp",
      async ({ call, server }) => {
        const { request } = call;
        refuseForeignOrigin(services, request);
        const caller = await services.keys.findCaller(request.headers);
        const onReceived = patience(server, request);
        if (caller === undefined) {
          // A caller with an unknown key is treated like a caller without one.
          anonymousLimit(services.operatorsListener.addressOf(request, server));
          const bytesMax = MCP_ANONYMOUS_BODY_BYTES_MAX;
          return services.strangersBodies.whileHeld(request, server, (hold) =>
            answer(call, { hold, bytesMax, onReceived }),
          );
        }
        return services.bodies.whileHeld(caller.account.id, (hold) =>
          answer(call, {
            hold,
            onReceived,
            onMessage: async (message) => {
              if (!isForTool(message, tools)) count(caller);
            },
          }),
        );
      },
      { parse: "none", query: NO_PARAMETERS, detail: { hide: true } },
    );
  const reach = connectReach(services.config);
  if (reach === "nobody") return routes;
  const connecting = new Elysia({ name: "mcp connect" })
    .use(callPlugin())
    // Before the parameters, so that a client without a token gets its challenge whatever it asks.
    .derive(async ({ call, server }) => {
      const { request } = call;
      if (reach === "own_machine") {
        requireOwnMachine(request, services.operatorsListener.addressOf(request, server));
      }
      refuseForeignOrigin(services, request);
      const challenged = challengeTo(services.http.baseUrl());
      const principal = await services.keys.authenticate(call, "read").catch((error) => {
        throw challenged(error);
      });
      const prove = () =>
        services.keys.prove(principal).catch((error) => {
          throw challenged(error);
        });
      call.proveKey = prove;
      return { principal, prove };
    })
    .use(exactQuery());
  connecting.post(
    CONNECT_PATH,
    async ({ call, server, principal, prove }) => {
      const { request } = call;
      let isRefused = false;
      const response = await services.bodies.whileHeld(principal.accountId, (hold) =>
        answer(call, {
          hold,
          onReceived: patience(server, request),
          // The route that a tool calls checks the key and counts the call, so the cost is the same as over `/mcp`.
          onMessage: async (message) => {
            if (isForTool(message, tools)) return;
            await prove();
            count(principal.caller);
          },
          ask: async (asked) => {
            const answered = await handle(asked);
            isRefused ||= answered.status === 403;
            return answered;
          },
        }),
      );
      // The 403 may be about the key, which may have been revoked since it was cached, rather than about the request.
      if (isRefused) await prove();
      return response;
    },
    { parse: "none", query: NO_PARAMETERS, detail: { hide: true } },
  );
  return routes.use(connecting);
}

interface TimedServer {
  timeout(request: Request, seconds: number): void;
}

/** How a message is answered. */
interface Answering {
  readonly hold: HoldBytes;
  /** Of the message. @default MCP_BODY_BYTES_MAX */
  readonly bytesMax?: number;
  /** Called when the body is there. */
  readonly onReceived: () => void;
  /** The app that has all the other routes. @default `handle` */
  readonly ask?: (request: Request) => Promise<Response>;
  /** Called with the message before it is answered, which it may refuse. Undefined: there is none in the body. */
  readonly onMessage?: (message: unknown) => Promise<void> | undefined;
}

/**
 * Returns the error for a client that expects OAuth. If the key is missing, expired, revoked, or not a read key, the
 * answer is a challenge, so that the client asks the user to sign in. A suspended account gets no challenge, because a
 * new key would also be refused.
 */
function challengeTo(baseUrl: string): (error: unknown) => unknown {
  return (error) => {
    const code = error instanceof Problem ? error.code : undefined;
    if (!(error instanceof Problem) || code === undefined || !CHALLENGED.has(code)) return error;
    const reason = code === "KEY_REQUIRED" ? undefined : "invalid_token";
    return new Problem(code, {
      ...error.options,
      status: 401,
      headers: { "WWW-Authenticate": challengeOf(baseUrl, reason) },
    });
  };
}

const CHALLENGED: ReadonlySet<string> = new Set(["KEY_REQUIRED", "KEY_INVALID", "KEY_PERMISSION"]);

function isToolCall(message: unknown): message is { readonly params?: unknown } {
  return isObject(message) && message.method === "tools/call";
}

/** Whether a tool gets the message, and counts it. The SDK answers all others. */
function isForTool(message: unknown, tools: ReadonlyMap<string, Tool>): boolean {
  const params = isToolCall(message) ? message.params : undefined;
  return (
    isObject(params) &&
    typeof params.name === "string" &&
    tools.has(params.name) &&
    (params.arguments === undefined || isObject(params.arguments))
  );
}

/** A copy of the request without its body, with the id of the answer and the media types that the answer may have. */
function named({ request: { method, headers, signal }, requestId }: Exchange): Request {
  const copy = new Request(`${WITHIN}/mcp`, { method, headers, signal });
  copy.headers.set("X-Request-Id", requestId);
  if (takesAnswers(headers)) copy.headers.set("Accept", ACCEPTED.join(", "));
  return copy;
}

/** The one message of a body, or why it is none. @throws {Problem} 400, 413, 415; 503 of `hold` */
async function readMessage(
  request: Request,
  { hold, bytesMax }: { readonly hold: HoldBytes; readonly bytesMax: number },
): Promise<{ readonly value: unknown; readonly exactId?: string | undefined } | Response> {
  const form = mediaTypeOf(request, ["json"]);
  if (form instanceof Problem) throw form;
  const bytes = await receiveBody(request, {
    bytesMax,
    tooLarge: () => tooLarge(bytesMax),
    hold,
  });
  try {
    const text = bodyTextOf(bytes);
    const parsed: unknown = JSON.parse(text);
    const value = isToolCall(parsed) ? parseDigits(text) : parsed;
    if (Array.isArray(value)) {
      return rpcError(INVALID_REQUEST, "Send a single message, not an array.");
    }
    if (hasManyParameters(value)) {
      return rpcError(INVALID_REQUEST, `Send at most ${PARAMETERS_MAX} parameters.`);
    }
    return { value, exactId: exactIdOf(text, value) };
  } catch {
    return rpcError(PARSE_ERROR, "The body is not JSON.");
  }
}

/** More than any message has. The SDK's checks take milliseconds for each thousand. */
const PARAMETERS_MAX = 100;

/** Whether a message, or the tool that it calls, gets too many parameters to look at each. */
function hasManyParameters(message: unknown): boolean {
  const params = isObject(message) ? message.params : undefined;
  if (!isObject(params)) return false;
  const { arguments: given = {} } = params;
  return [params, given].some(
    (each) => isObject(each) && Object.keys(each).length > PARAMETERS_MAX,
  );
}

function tooLarge(bytesMax: number): Problem {
  const whose = bytesMax < MCP_BODY_BYTES_MAX ? " without a valid key" : "";
  return new Problem("PAYLOAD_TOO_LARGE", {
    detail: `A message${whose} can have at most ${bytesMax} bytes. Send a smaller one.`,
    extras: { limit: "request_body", max_bytes: bytesMax },
    headers: { Connection: "close" },
  });
}

/** The answer to a message whose id is not known. */
function rpcError(code: number, message: string): Response {
  return Response.json({ jsonrpc: "2.0", id: null, error: { code, message } }, { status: 400 });
}

/**
 * Refuses calls from pages of other sites, which must not act for the person who views them, even if the site's name
 * resolves to this gateway (DNS rebinding). @throws {Problem} 403
 */
function refuseForeignOrigin({ http, config }: Services, request: Request): void {
  const origin = request.headers.get("origin");
  if (origin === null) return;
  const own = new URL(http.baseUrl());
  if (origin === own.origin) return;
  // Pages of one's own machine may call a gateway of that machine, whatever its name there is.
  if (isLoopbackHost(own.hostname) && isLoopbackHost(URL.parse(origin)?.hostname ?? "")) return;
  const { corsOrigins } = config;
  if (corsOrigins === "*" || corsOrigins?.includes(origin)) return;
  throw new Problem("ORIGIN_FORBIDDEN", {
    detail:
      "Pages from this origin may not call the gateway. The operator can allow origins with FEEDGATE_CORS_ORIGINS.",
  });
}
