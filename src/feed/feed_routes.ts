/**
 * `GET /feed/{id}` and `GET /feed/{id}/metadata`. Interface 4.3 and 4.4.
 *
 * @module
 */
import { Elysia } from "elysia";
import { createEndpoint, handlerOf } from "../http/endpoint.ts";
import { documentedParameters } from "../http/parameters.ts";
import type { Services } from "../services.ts";
import { FeedReads } from "./read_feed.ts";
import { MetadataReads } from "./read_metadata.ts";
import { READ_PARAMETERS } from "./read_plan.ts";

export function feedRoutes(services: Services) {
  const { http } = services;
  const reads = new FeedReads(services);
  const metadataReads = new MetadataReads(services);
  const read = createEndpoint(http, { route: "/v1/feed/{id}", isKeyed: true }, (call, reference) =>
    reads.read(call, reference),
  );
  const metadata = createEndpoint(
    http,
    { route: "/v1/feed/{id}/metadata", isKeyed: true },
    (call, reference) => metadataReads.read(call, reference),
  );
  return new Elysia({ name: "feed" })
    .get("/feed/:id", handlerOf(read, "id"), {
      detail: {
        parameters: documentedParameters(READ_PARAMETERS),
      },
    })
    .get("/feed/:id/metadata", handlerOf(metadata, "id"));
}
