/**
 * Pages of the lists of providers and consumers, by `limit` and either `offset` or `cursor`.
 *
 * @module
 */
import { Type } from "@sinclair/typebox";
import { PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from "../../limits.ts";
import { queryInteger } from "./parameters.ts";

/** `what` is the content of the page, as a plural noun. */
export function limitParameter(what: string, limitDefault = PAGE_LIMIT_DEFAULT) {
  return Type.Optional(
    queryInteger({
      minimum: 1,
      description: `${what} on the page, at most ${PAGE_LIMIT_MAX}. Default ${limitDefault}.`,
    }),
  );
}

/** `cursor` of a list that continues after the last entry of the previous page. */
export const CURSOR_PARAMETER = Type.Optional(
  Type.String({ description: "next_cursor of the previous page." }),
);

/** `limit` and `cursor`. `what` is the content of the page, as a plural noun. */
export function cursorParameters(what: string) {
  return { limit: limitParameter(what), cursor: CURSOR_PARAMETER };
}

/** The parameters of a list of feeds. */
export const PAGE_PARAMETERS = {
  limit: limitParameter("Feeds"),
  offset: Type.Optional(queryInteger({ minimum: 0, description: "Feeds to skip. Default 0." })),
};

/** The requested page, with `limit` capped. */
export function pageOf({ limit, offset = 0 }: { limit?: number; offset?: number }) {
  return { limit: cappedLimit(limit), offset };
}

/** The `limit`, capped. */
export function cappedLimit(limit = PAGE_LIMIT_DEFAULT): number {
  return Math.min(limit, PAGE_LIMIT_MAX);
}
