/**
 * The parameter `ids`: record ids separated by commas, or `ids` repeated.
 *
 * @module
 */
import { Type } from "@sinclair/typebox";
import { decode, parseQuery } from "../../http/query_string.ts";
import { IDS_MAX } from "../../limits.ts";
import { invalidParameter } from "./parameters.ts";

/** The parameter, for a route's schema. */
export function idsParameter<Options extends { description: string }>(options: Options) {
  return Type.Union([Type.String(), Type.Array(Type.String())], options);
}

/**
 * The distinct ids of a raw query. They are split at commas before percent-decoding, so `%2C` is a comma in an id.
 * @throws {Problem} 400 if there are none or too many
 */
export function readIds(search: string): string[] {
  const asked = parseQuery(search)
    .filter(({ name }) => name === "ids")
    .flatMap(({ rawValue }) => rawValue.split(","))
    .filter((raw) => raw !== "")
    .map(decode);
  if (asked.length === 0) {
    throw invalidParameter("ids is empty. Send at least one id.", "ids");
  }
  return distinctIds(asked);
}

/** @throws {Problem} 400 if there are too many */
export function distinctIds(asked: readonly string[]): string[] {
  if (asked.length > IDS_MAX) {
    throw invalidParameter(
      `ids takes at most ${IDS_MAX} record ids, got ${asked.length}. Request the rest in another call.`,
      "ids",
    );
  }
  return [...new Set(asked)];
}
