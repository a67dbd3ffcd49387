/**
 * Turns an answer into a native Response. Elysia passes it on unchanged, which is the cheapest way.
 *
 * @module
 */
import type { Answer } from "./answer.ts";
import { unsentBodies } from "./load/unsent_bodies.ts";

export function respond({ status = 200, headers, sharedHeaders, ...answer }: Answer): Response {
  const body = unsentBodies.bodyOf(answer.body);
  if (sharedHeaders === undefined) return new Response(body, { status, headers });
  const response = new Response(body, { status, headers: sharedHeaders });
  for (const name in headers) response.headers.set(name, headers[name] ?? "");
  return response;
}
