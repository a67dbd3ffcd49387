/**
 * `POST /provider/feed/{feed_id}/push`. Interface 4.6.
 *
 * @module
 */
import { Elysia } from "elysia";
import { createEndpoint } from "../http/endpoint.ts";
import { documentedParameters } from "../http/parameters.ts";
import { allowUpload } from "../http/upload_time.ts";
import type { Services } from "../services.ts";
import { createPushFeed, PUSH_PARAMETERS } from "./push_feed.ts";

export function pushRoutes(services: Services) {
  const push = createEndpoint(
    services.http,
    { route: "/v1/provider/feed/{feed_id}/push", isKeyed: true },
    createPushFeed(services),
  );
  return new Elysia({ name: "push" }).post(
    "/provider/feed/:feed_id/push",
    ({ request, server, params }) => {
      allowUpload(request, server);
      return push(request, params.feed_id);
    },
    {
      parse: "none",
      detail: {
        parameters: documentedParameters(PUSH_PARAMETERS),
      },
    },
  );
}
