/**
 * `Link` to the next page of a list (RFC 8288), by cursor or by offset.
 *
 * @module
 */
import { pathOf, searchOf } from "./query_string.ts";

/**
 * The link is absolute on the public address. It has the path form and the query of the request, except for cursor and
 * offset.
 */
export function nextLink(
  { requestUrl, baseUrl }: { readonly requestUrl: string; readonly baseUrl: string },
  value: string | number,
  parameter: "cursor" | "offset" = "cursor",
): string {
  const kept = searchOf(requestUrl)
    .split("&")
    .filter((part) => part !== "" && !/^(cursor|offset)(=|$)/.test(part));
  const search = [...kept, `${parameter}=${value}`].join("&");
  return `<${baseUrl}${pathOf(requestUrl)}?${search}>; rel="next"`;
}
