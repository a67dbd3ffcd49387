/**
 * Headers that every answer has: `X-Request-Id` (decisions 2), `Connection: close` while the gateway
 * drains, CORS where it is configured, and `Date` on HEAD.
 *
 * @module
 */
import { Elysia } from "elysia";
import { callPlugin, type HttpContext } from "./call.ts";

/** Adds them to the route's Response. */
export function answerHeaders(http: HttpContext) {
  return new Elysia({ name: "answer headers" })
    .use(callPlugin())
    .mapResponse({ as: "global" }, ({ call, responseValue }) => {
      if (!(responseValue instanceof Response)) return;
      const { headers } = responseValue;
      headers.set("X-Request-Id", call.requestId);
      if (http.isDraining()) headers.set("Connection", "close");
      // Bun sends it with every other answer. RFC 9110, 6.6.1.
      if (call.isHead) headers.set("Date", new Date().toUTCString());
      http.cors?.decorate(call.request, headers);
    });
}
