/**
 * Cross-origin reads from a browser. Off unless `FEEDGATE_CORS_ORIGINS` lists the allowed origins. Fetch Standard,
 * "CORS protocol".
 *
 * A caller sends its key in a header, never in a cookie. So credentials are not allowed, and `*` grants no more rights
 * than a key does. We don't use the usual plugin, because it adds headers to Elysia's `set`, and our routes return
 * complete responses.
 *
 * @module
 */
import type { CorsOrigins } from "../config.ts";
import type { Answer } from "./answer.ts";

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
  "Deprecation",
  "Feedgate-Credits-Charged",
  "Feedgate-Data-Version",
  "Feedgate-Next-Offset",
  "Feedgate-Row-Count",
  "Feedgate-Usage-Id",
  "Location",
  "PAYMENT-REQUIRED",
  "PAYMENT-RESPONSE",
  "Preference-Applied",
  "Retry-After",
  "Sunset",
  "WWW-Authenticate",
  "X-Request-Id",
].join(", ");
const ALLOWED_HEADERS = [
  "Authorization",
  "Content-Encoding",
  "Content-Type",
  "Feedgate-Max-Chars",
  "Feedgate-Max-Credits",
  "Feedgate-Progress",
  "Idempotency-Key",
  "If-None-Match",
  "Last-Event-ID",
  "Mcp-Method",
  "Mcp-Name",
  "Mcp-Protocol-Version",
  "PAYMENT-SIGNATURE",
  "Prefer",
  "traceparent",
  "X-Api-Key",
  "X-Request-Id",
].join(", ");
/** How long a browser may cache a preflight's answer. Some browsers cap this at 10 minutes. */
const MAX_AGE_SECONDS = 600;

export class Cors {
  /** Undefined if every origin is allowed. */
  readonly #origins: ReadonlySet<string> | undefined;

  constructor(origins: CorsOrigins) {
    this.#origins = origins === "*" ? undefined : new Set(origins);
  }

  /** Adds the headers that let a page of an allowed origin read the answer. */
  decorate(request: Request, headers: Headers): void {
    const origin = request.headers.get("origin");
    if (this.#origins === undefined) {
      headers.set("Access-Control-Allow-Origin", "*");
    } else {
      // Sent even if the origin is not allowed, because a cache must not serve one origin's answer to another.
      headers.append("Vary", "Origin");
      if (origin === null || !this.#origins.has(origin)) return;
      headers.set("Access-Control-Allow-Origin", origin);
    }
    headers.set("Access-Control-Expose-Headers", EXPOSED_HEADERS);
  }

  /** The answer to a preflight for a route with these methods. Undefined if the request is not a preflight. */
  preflight({ method, headers }: Request, methods: readonly string[]): Answer | undefined {
    const isPreflight =
      method === "OPTIONS" && headers.has("origin") && headers.has("access-control-request-method");
    if (!isPreflight) return undefined;
    // `decorate` adds whether the origin is allowed.
    return {
      status: 204,
      body: null,
      headers: {
        "Access-Control-Allow-Methods": methods.join(", "),
        "Access-Control-Allow-Headers": ALLOWED_HEADERS,
        "Access-Control-Max-Age": String(MAX_AGE_SECONDS),
      },
    };
  }
}
