/**
 * `GET /catalog` and `GET /search`. Interface 4.1 and 4.2.
 *
 * @module
 */
import { Elysia } from "elysia";
import { createEndpoint, handlerOf } from "../http/endpoint.ts";
import { PAGE_PARAMETERS } from "../http/paging.ts";
import { documentedParameters } from "../http/parameters.ts";
import type { Services } from "../services.ts";
import { createListCatalog } from "./list_catalog.ts";
import { createSearchFeeds, SEARCH_PARAMETERS } from "./search_feeds.ts";

export function catalogRoutes(services: Services) {
  const { http } = services;
  const list = createEndpoint(
    http,
    { route: "/v1/catalog", isKeyed: true },
    createListCatalog(services),
  );
  const search = createEndpoint(
    http,
    { route: "/v1/search", isKeyed: true },
    createSearchFeeds(services),
  );
  return new Elysia({ name: "catalog" })
    .get("/catalog", handlerOf(list), {
      detail: {
        parameters: documentedParameters(PAGE_PARAMETERS),
      },
    })
    .get("/search", handlerOf(search), {
      detail: {
        parameters: documentedParameters(SEARCH_PARAMETERS),
      },
    });
}
