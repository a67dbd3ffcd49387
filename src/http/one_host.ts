/**
 * One `Host`, and one only. RFC 9112, 3.2.
 *
 * @module
 */
import { Elysia } from "elysia";
import { Problem } from "./errors.ts";

/** Refuses requests with two of them, which two servers in a row could understand differently. */
export function oneHost() {
  return new Elysia({ name: "one host" }).onTransform({ as: "global" }, ({ request }): void => {
    // Bun joins them by a comma, which no host has.
    if (request.headers.get("host")?.includes(",") !== true) return;
    throw new Problem("INVALID_REQUEST", {
      detail: "The request names no host, or more than one. Send one Host header with one host.",
    });
  });
}
