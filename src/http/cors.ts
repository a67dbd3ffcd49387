/**
 * Cross-origin reads from a browser: off unless `FEEDGATE_CORS_ORIGINS` names who may. Fetch Standard,
 * "CORS protocol".
 *
 * A caller proves itself by a key in a header, never by a cookie, so credentials are not allowed and `*`
 * gives nobody more than a key does. Written here since the usual plugin adds its headers to a reply of
 * its own, and our routes return whole responses.
 *
 * @module
 */
import type { CorsOrigins } from "../config.ts";
import type { Answer } from "./answer.ts";

export interface Cors {
  /** Adds what lets a page of an allowed origin see the answer. */
  decorate(request: Request, headers: Headers): void;
  /** The answer to a preflight for a route with these methods; undefined where the request is none. */
  preflight(request: Request, methods: readonly string[]): Answer | undefined;
}

const EXPOSED_HEADERS = [
  "X-RateLimit-Limit",
  "X-RateLimit-Remaining",
  "X-RateLimit-Reset",
  "RateLimit",
  "RateLimit-Policy",
  "ETag",
  "Link",
  "Allow",
  "Content-Disposition",
  "Feedgate-Next-Offset",
  "Preference-Applied",
  "Retry-After",
  "WWW-Authenticate",
  "X-Request-Id",
].join(", ");
const ALLOWED_HEADERS = [
  "Authorization",
  "Content-Encoding",
  "Content-Type",
  "Feedgate-Max-Chars",
  "Feedgate-Max-Credits",
  "Idempotency-Key",
  "If-None-Match",
  "Last-Event-ID",
  "Mcp-Method",
  "Mcp-Name",
  "Mcp-Protocol-Version",
  "Prefer",
  "traceparent",
  "X-Api-Key",
  "X-Request-Id",
].join(", ");
/** How long a browser may remember a preflight's answer; some stop at 10 minutes by themselves. */
const MAX_AGE_SECONDS = 600;

/** Undefined where no origin is configured. */
export function createCors(origins: CorsOrigins | undefined): Cors | undefined {
  if (origins === undefined) return undefined;
  const known = origins === "*" ? undefined : new Set(origins);

  function allow(request: Request, headers: Headers): boolean {
    if (known === undefined) {
      headers.set("Access-Control-Allow-Origin", "*");
      return true;
    }
    // Also where the origin is not allowed: a cache must not give one origin's answer to another.
    headers.append("Vary", "Origin");
    const origin = request.headers.get("origin");
    if (origin === null || !known.has(origin)) return false;
    headers.set("Access-Control-Allow-Origin", origin);
    return true;
  }

  return {
    decorate(request, headers) {
      if (allow(request, headers)) headers.set("Access-Control-Expose-Headers", EXPOSED_HEADERS);
    },
    preflight(request, methods) {
      const isPreflight =
        request.method === "OPTIONS" &&
        request.headers.has("origin") &&
        request.headers.has("access-control-request-method");
      if (!isPreflight) return undefined;
      // The endpoint that sends it says whether the origin is allowed.
      return {
        status: 204,
        body: null,
        headers: {
          "Access-Control-Allow-Methods": methods.join(", "),
          "Access-Control-Allow-Headers": ALLOWED_HEADERS,
          "Access-Control-Max-Age": String(MAX_AGE_SECONDS),
        },
      };
    },
  };
}
