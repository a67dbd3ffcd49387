/**
 * `POST /provider/feed/{feed_id}/push`. Interface 4.6.
 *
 * @module
 */
import { Elysia } from "elysia";
import { createEndpoint } from "../http/endpoint.ts";
import { documentedParameters } from "../http/parameters.ts";
import { UPLOAD_SECONDS_MAX } from "../limits.ts";
import type { Services } from "../services.ts";
import { createPushFeed, PUSH_PARAMETERS } from "./push_feed.ts";

const DESCRIPTION = [
  "Singleton: the document replaces the one before. Collection: rows go into the current batch; with `batch_id` they are staged until `batch_complete`. Stream: events are appended, and a row id that is there already is skipped.",
  "Lines of rows (`application/x-ndjson`) are taken too, for collections and streams. A push is stored as a whole or not at all.",
].join("\n\n");

export function pushRoutes(services: Services) {
  const push = createEndpoint(
    services.http,
    { route: "/v1/provider/feed/{feed_id}/push", isKeyed: true },
    createPushFeed(services),
  );
  return new Elysia({ name: "push" }).post(
    "/provider/feed/:feed_id/push",
    ({ request, server, params }) => {
      server?.timeout(request, UPLOAD_SECONDS_MAX);
      return push(request, params.feed_id);
    },
    {
      parse: "none",
      detail: {
        operationId: "pushFeed",
        tags: ["provider"],
        summary: "Push rows or a document into a feed",
        description: DESCRIPTION,
        parameters: documentedParameters(PUSH_PARAMETERS),
      },
    },
  );
}
