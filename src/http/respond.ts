/**
 * An answer as a native Response, which Elysia passes on as it is: the cheapest way out.
 *
 * @module
 */
import type { Answer } from "./answer.ts";

export function respond({ status = 200, headers, sharedHeaders, body }: Answer): Response {
  if (sharedHeaders === undefined) return new Response(body, { status, headers });
  const response = new Response(body, { status, headers: sharedHeaders });
  for (const name in headers) response.headers.set(name, headers[name] as string);
  return response;
}
