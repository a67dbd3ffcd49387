/**
 * `GET /catalog` and `GET /search`.
 *
 * @module
 */

import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { authenticated } from "../../api/callers/auth.ts";
import { PAGE_PARAMETERS, pageOf } from "../../api/input/paging.ts";
import { parameters, type Refuse, RefuseBy } from "../../api/input/parameters.ts";
import { respondOutcome } from "../../api/problems/problems.ts";
import {
  CONDITIONAL,
  COUNTED,
  described,
  documented,
  TAGGED,
  UNCHANGED,
} from "../../api/reference/described.ts";
import { CATALOG_ENTRY, ORIGIN_FREE, SEARCH_HIT } from "../../api/reference/examples.ts";
import { Problem } from "../../http/problem_details.ts";
import { text } from "../../lib/typebox.ts";
import { SEARCH_LENGTH_MAX } from "../../limits.ts";
import type { Services } from "../../services.ts";
import type { ReadPipeline } from "../pipeline/pipeline.ts";
import { CatalogShape, SearchResultsShape } from "./catalog_shapes.ts";
import { createListCatalog } from "./list_catalog.ts";
import { createSearchFeeds } from "./search_feeds.ts";

const CATALOG_QUERY = parameters(PAGE_PARAMETERS);

const Q = text({
  minLength: 1,
  maxLength: SEARCH_LENGTH_MAX,
  description: 'Plain words; "quoted words" match as a phrase, -word excludes.',
  examples: ["earthquakes"],
});
const refuseQ: Refuse = (_, value) => (value ? undefined : queryRequired());

const SEARCH_QUERY = Type.Object(
  {
    q: { ...Q, [RefuseBy]: refuseQ },
    category: Type.Optional(
      text({ minLength: 1, description: "Only feeds of this category; case-insensitive." }),
    ),
    ...PAGE_PARAMETERS,
  },
  { additionalProperties: false },
);

const LIST_CATALOG = described({
  access: "consumer",
  window: "discovery",
  operationId: "listCatalog",
  tag: "discovery",
  summary: "List the active public feeds",
  description: "Most recently published first. Free; has its own rate limit.",
  answers: {
    200: documented(CatalogShape, {
      description: "A page of the catalog.",
      headers: TAGGED,
      examples: {
        "One feed": {
          message: "1 feed is listed; this page shows 1.",
          total: 1,
          total_feeds: 1,
          limit: 20,
          offset: 0,
          has_more: false,
          feeds: [CATALOG_ENTRY],
          instructions: "Read a feed with GET https://feeds.example.org/v1/feed/{id}.",
          _origin: ORIGIN_FREE,
        },
      },
    }),
    304: UNCHANGED,
  },
  headers: CONDITIONAL,
  problems: COUNTED,
});
const SEARCH_FEEDS = described({
  access: "consumer",
  window: "discovery",
  operationId: "searchFeeds",
  tag: "discovery",
  summary: "Search the active public feeds",
  description:
    "Finds feeds by name, description, category, field names and readme; best match first. Free; has its own rate limit.",
  answers: {
    200: documented(SearchResultsShape, {
      description: "A page of search results.",
      headers: TAGGED,
      examples: {
        "One feed": {
          query: "earthquakes",
          total: 1,
          limit: 20,
          offset: 0,
          has_more: false,
          results: [SEARCH_HIT],
          _origin: ORIGIN_FREE,
        },
      },
    }),
    304: UNCHANGED,
  },
  headers: CONDITIONAL,
  problems: ["QUERY_REQUIRED", ...COUNTED],
});

export function catalogRoutes(services: Services, reads: ReadPipeline) {
  const { http, keys } = services;
  const listCatalog = createListCatalog(services, reads);
  const searchFeeds = createSearchFeeds(services, reads);
  return new Elysia({ name: "catalog" })
    .use(authenticated(keys, "read"))
    .get(
      "/catalog",
      async ({ call, principal, query }) =>
        respondOutcome(http, call, await listCatalog({ call, principal }, pageOf(query))),
      { query: CATALOG_QUERY, ...LIST_CATALOG },
    )
    .get(
      "/search",
      async ({ call, principal, query }) => {
        if (query.q.trim() === "") throw queryRequired();
        const search = { q: query.q, category: query.category, ...pageOf(query) };
        return respondOutcome(http, call, await searchFeeds({ call, principal }, search));
      },
      { query: SEARCH_QUERY, ...SEARCH_FEEDS },
    );
}

function queryRequired(): Problem {
  return new Problem("QUERY_REQUIRED", {
    detail: (words) => words.searchMissing,
  });
}
