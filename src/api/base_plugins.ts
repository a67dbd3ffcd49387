/**
 * The plugins of every route, in order, because Elysia's hooks apply to the routes registered after them.
 *
 * @module
 */
import { Elysia } from "elysia";
import { callPlugin, type HttpContext } from "../http/call.ts";
import { Problem, unavailable } from "../http/problem_details.ts";
import { hasGone } from "../lib/standstill.ts";
import { observed } from "./operations/observe.ts";
import { problems } from "./problems/problems.ts";

export function basePlugins(http: HttpContext) {
  return new Elysia({ name: "base" })
    .use(callPlugin())
    .use(problems(http))
    .use(answerHeaders(http))
    .use(observed(http))
    .use(oneHost())
    .use(actsOfPresentClients());
}

/**
 * Adds the headers of every answer: `X-Request-Id`, `Connection: close` while the gateway or the listener drains, CORS
 * headers if configured, and `Date` on HEAD.
 */
function answerHeaders(http: HttpContext) {
  return new Elysia({ name: "answer headers" })
    .use(callPlugin())
    .mapResponse({ as: "global" }, ({ call, responseValue }) => {
      if (!(responseValue instanceof Response)) return;
      const { headers } = responseValue;
      headers.set("X-Request-Id", call.requestId);
      if (http.isDraining() || http.isLeaving(call.request)) headers.set("Connection", "close");
      // Bun adds it to every other answer. RFC 9110, 6.6.1.
      if (call.isHead) headers.set("Date", new Date().toUTCString());
      http.cors?.decorate(call.request, headers);
    });
}

/** Refuses two `Host` headers, because a proxy and this server could each use a different one. RFC 9112, 3.2. */
function oneHost() {
  return new Elysia({ name: "one host" }).onTransform({ as: "global" }, ({ request }): void => {
    // Bun joins repeated headers with a comma, which no host name contains.
    if (request.headers.get("host")?.includes(",") !== true) return;
    throw new Problem("INVALID_REQUEST", {
      detail: "The request must contain exactly one host. Send one Host header with one host.",
    });
  });
}

/** Methods that change nothing. RFC 9110, 9.2.1. */
const SAFE_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Drops a call that would change something if its client has disconnected. After a stall of this process, the client
 * may already have repeated the call elsewhere, and made newer changes.
 */
function actsOfPresentClients() {
  return new Elysia({ name: "acts of present clients" }).onTransform(
    { as: "global" },
    async ({ request }): Promise<void> => {
      if (SAFE_METHODS.has(request.method) || !(await hasGone(request.signal))) return;
      throw unavailable("The client disconnected. Nothing was changed.");
    },
  );
}
