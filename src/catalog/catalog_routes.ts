/**
 * `GET /catalog` and `GET /search`. Interface 4.1 and 4.2.
 *
 * @module
 */
import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { authenticated } from "../http/auth.ts";
import { Problem } from "../http/errors.ts";
import { PAGE_PARAMETERS, pageOf } from "../http/paging.ts";
import { parameters } from "../http/parameters.ts";
import { respondOutcome } from "../http/problems.ts";
import { Refusal, type Refuse } from "../http/validation.ts";
import { text } from "../lib/types.ts";
import { SEARCH_LENGTH_MAX } from "../limits.ts";
import type { Services } from "../services.ts";
import { createListCatalog } from "./list_catalog.ts";
import { createSearchFeeds } from "./search_feeds.ts";

const CATALOG_QUERY = parameters(PAGE_PARAMETERS);

const Q = text({
  minLength: 1,
  maxLength: SEARCH_LENGTH_MAX,
  description: 'What to look for, in plain words; "quoted words" stand together, -word excludes.',
});
const refuseQ: Refuse = (_, value) => (value ? undefined : queryRequired());

const SEARCH_QUERY = Type.Object(
  {
    q: { ...Q, [Refusal]: refuseQ },
    category: Type.Optional(
      Type.String({ description: "Only feeds of this category; case does not matter." }),
    ),
    ...PAGE_PARAMETERS,
  },
  { additionalProperties: false },
);

export function catalogRoutes(services: Services) {
  const { http, keys } = services;
  const listCatalog = createListCatalog(services);
  const searchFeeds = createSearchFeeds(services);
  return new Elysia({ name: "catalog" })
    .use(authenticated(keys, "read"))
    .get(
      "/catalog",
      async ({ call, principal, query }) =>
        respondOutcome(http, call, await listCatalog(call, principal, pageOf(query))),
      { query: CATALOG_QUERY },
    )
    .get(
      "/search",
      async ({ call, principal, query }) => {
        if (query.q.trim() === "") throw queryRequired();
        const search = { q: query.q, category: query.category, ...pageOf(query) };
        return respondOutcome(http, call, await searchFeeds(call, principal, search));
      },
      { query: SEARCH_QUERY },
    );
}

function queryRequired(): Problem {
  return new Problem("QUERY_REQUIRED", {
    detail: "Say what to look for in q, as in /v1/search?q=earthquakes.",
  });
}
