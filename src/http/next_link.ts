/**
 * `Link` to the next page of a list (RFC 8288), by cursor or by offset. Decisions 10.
 *
 * @module
 */
import { pathOf } from "./query_string.ts";

/** A raw query without cursor and offset. If anything is left, it ends with `&`. */
export function walkSearchOf(search: string): string {
  const kept = search
    .split("&")
    .filter((part) => part !== "" && !/^(cursor|offset)(=|$)/.test(part));
  return kept.map((part) => `${part}&`).join("");
}

/** Absolute on the public address, in the path form of the request. */
export function nextLink(
  of: { readonly requestUrl: string; readonly baseUrl: string; readonly walkSearch: string },
  value: string | number,
  parameter: "cursor" | "offset" = "cursor",
): string {
  const { requestUrl, baseUrl, walkSearch } = of;
  return `<${baseUrl}${pathOf(requestUrl)}?${walkSearch}${parameter}=${value}>; rel="next"`;
}
