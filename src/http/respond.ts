/**
 * Turns an answer into a native Response, among them those without a body and the pages of a list. Elysia passes it on
 * unchanged, which is the cheapest way.
 *
 * @module
 */
import { type Answer, CACHE_PRIVATE, privateJson } from "./answer.ts";
import { unsentBodies } from "./load/unsent_bodies.ts";
import { nextLink } from "./next_link.ts";

export function respond({ status = 200, headers, sharedHeaders, ...answer }: Answer): Response {
  const body = unsentBodies.bodyOf(answer.body);
  if (sharedHeaders === undefined) return new Response(body, { status, headers });
  const response = new Response(body, { status, headers: sharedHeaders });
  for (const name in headers) response.headers.set(name, headers[name] ?? "");
  return response;
}

/** 204, for the caller only. */
export function respondEmpty(): Response {
  return respond({ status: 204, headers: { "Cache-Control": CACHE_PRIVATE }, body: null });
}

interface Asked {
  readonly http: { readonly baseUrl: () => string };
  readonly call: { readonly request: Request };
}

/** A page of a list, for the caller only, with a `Link` to the next page if there is one. */
export function respondPage(
  { http, call }: Asked,
  page: { readonly next_cursor: string | null },
  body = JSON.stringify(page),
): Response {
  const headers = privateJson();
  if (page.next_cursor !== null) {
    const link = { requestUrl: call.request.url, baseUrl: http.baseUrl() };
    headers.Link = nextLink(link, page.next_cursor);
  }
  return respond({ headers, body });
}
