/**
 * `Link` to the next page of a list (RFC 8288), by cursor or by offset. Decisions 10.
 *
 * @module
 */
import { pathOf, searchOf } from "./query_string.ts";

/** Absolute on the public address, in the path form of the request, with its query but cursor and offset. */
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
