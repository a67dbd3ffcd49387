/**
 * Cross-origin reads from a browser: off unless `FEEDGATE_CORS_ORIGINS` names who may. Fetch Standard,
 * "CORS protocol".
 *
 * A caller sends a key in a header, never a cookie. So credentials are not allowed, and `*` gives nobody more
 * rights than a key does. This is our own code, because the usual plugin adds headers to Elysia's `set`, and our
 * routes return whole responses.
 *
 * @module
 */
import type { CorsOrigins } from "../config.ts";
import type { Answer } from "./answer.ts";

export interface Cors {
  /** Adds the headers that let a page of an allowed origin see the answer. */
  decorate(request: Request, headers: Headers): void;
  /** The answer to a preflight for a route with these methods; undefined if the request is no preflight. */
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
/** How long a browser may keep a preflight's answer. Some keep it for 10 minutes at most. */
const MAX_AGE_SECONDS = 600;

/** Undefined if no origin is configured. */
export function createCors(origins: CorsOrigins | undefined): Cors | undefined {
  if (origins === undefined) return undefined;
  const known = origins === "*" ? undefined : new Set(origins);

  function allow(request: Request, headers: Headers): boolean {
    if (known === undefined) {
      headers.set("Access-Control-Allow-Origin", "*");
      return true;
    }
    // Sent even if the origin is not allowed, since a cache must not give one origin's answer to another.
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
      // The caller adds whether the origin is allowed.
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
