/**
 * Refuses requests that have not exactly one `Host`. RFC 9112, 3.2.
 *
 * @module
 */
import { Elysia } from "elysia";
import { Problem } from "./errors.ts";

/** Two `Host` headers are refused, because a proxy and this server could each take another one. */
export function oneHost() {
  return new Elysia({ name: "one host" }).onTransform({ as: "global" }, ({ request }): void => {
    // Bun joins several headers with a comma, which no host name has.
    if (request.headers.get("host")?.includes(",") !== true) return;
    throw new Problem("INVALID_REQUEST", {
      detail: "The request names no host, or more than one. Send one Host header with one host.",
    });
  });
}
