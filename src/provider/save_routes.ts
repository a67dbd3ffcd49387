/**
 * A provider's own feeds: create, edit and list. Interface 4.7 and 4.8, decisions 10.
 *
 * @module
 */
import { Elysia } from "elysia";
import { createEndpoint, handlerOf } from "../http/endpoint.ts";
import { PAGE_PARAMETERS } from "../http/paging.ts";
import { documentedParameters } from "../http/parameters.ts";
import { allowUpload } from "../http/upload_time.ts";
import type { Services } from "../services.ts";
import { createListFeeds } from "./list_feeds.ts";
import { createCreateFeed, createEditFeed } from "./save_feed.ts";

export function saveRoutes(services: Services) {
  const { http } = services;
  const create = createEndpoint(
    http,
    { route: "/v1/provider/feed/create", isKeyed: true },
    createCreateFeed(services),
  );
  const edit = createEndpoint(
    http,
    { route: "/v1/provider/feed/{feed_id}/edit", isKeyed: true },
    createEditFeed(services),
  );
  const list = createEndpoint(
    http,
    { route: "/v1/provider/feeds", isKeyed: true },
    createListFeeds(services),
  );
  return new Elysia({ name: "save" })
    .post(
      "/provider/feed/create",
      ({ request, server }) => {
        allowUpload(request, server);
        return create(request);
      },
      {
        parse: "none",
      },
    )
    .patch(
      "/provider/feed/:feed_id/edit",
      ({ request, server, params }) => {
        allowUpload(request, server);
        return edit(request, params.feed_id);
      },
      {
        parse: "none",
      },
    )
    .get("/provider/feeds", handlerOf(list), {
      detail: {
        parameters: documentedParameters(PAGE_PARAMETERS),
      },
    });
}
