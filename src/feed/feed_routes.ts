/**
 * `GET /feed/{id}` and `GET /feed/{id}/metadata`. Interface 4.3 and 4.4.
 *
 * @module
 */
import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { authenticated } from "../http/auth.ts";
import { NO_PARAMETERS } from "../http/parameters.ts";
import { respondOutcome } from "../http/problems.ts";
import type { Services } from "../services.ts";
import { FeedReads } from "./read_feed.ts";
import { MetadataReads } from "./read_metadata.ts";
import { READ_QUERY } from "./read_plan.ts";

const FEED_PARAMS = Type.Object({
  id: Type.String({ description: "The feed's UUID or its `endpoint_path`." }),
});

export function feedRoutes(services: Services) {
  const { http, keys } = services;
  const reads = new FeedReads(services);
  const metadataReads = new MetadataReads(services);
  return new Elysia({ name: "feed" })
    .use(authenticated(keys, "read"))
    .get(
      "/feed/:id",
      async ({ call, principal, params }) =>
        respondOutcome(http, call, await reads.read({ call, principal, reference: params.id })),
      { params: FEED_PARAMS, query: READ_QUERY },
    )
    .get(
      "/feed/:id/metadata",
      async ({ call, principal, params }) =>
        respondOutcome(
          http,
          call,
          await metadataReads.read({ call, principal, reference: params.id }),
        ),
      { params: FEED_PARAMS, query: NO_PARAMETERS },
    );
}
