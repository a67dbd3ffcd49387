/**
 * `GET /feed/{id}/metadata`.
 *
 * @module
 */
import { Elysia } from "elysia";
import { authenticated } from "../../api/callers/auth.ts";
import { NO_PARAMETERS } from "../../api/input/parameters.ts";
import { respondOutcome } from "../../api/problems/problems.ts";
import {
  CONDITIONAL,
  COUNTED,
  described,
  documented,
  FEED_PARAMS,
  TAGGED,
  UNCHANGED,
} from "../../api/reference/described.ts";
import { FEED_METADATA, METADATA_ROWS, ORIGIN } from "../../api/reference/examples.ts";
import { FeedMetadataShape } from "../../feeds/feed_shapes.ts";
import type { Services } from "../../services.ts";
import type { ReadPipeline } from "../pipeline/pipeline.ts";
import { createMetadataReads } from "./read_metadata.ts";

const READ_METADATA = described({
  access: "consumer",
  window: "discovery",
  operationId: "readFeedMetadata",
  tag: "discovery",
  summary: "Get a feed's metadata",
  description:
    "Schema, sample, price and limits, to check before the first read. Free; has its own rate limit. Also works for unlisted feeds.",
  answers: {
    200: documented(FeedMetadataShape, {
      description: "The feed.",
      headers: TAGGED,
      examples: {
        "A metered stream": {
          ...FEED_METADATA,
          ...METADATA_ROWS,
          _origin: { ...ORIGIN, credits_charged: 0 },
        },
      },
    }),
    304: UNCHANGED,
  },
  headers: CONDITIONAL,
  problems: ["KEY_SCOPE", "FEED_NOT_FOUND", ...COUNTED],
});

export function metadataRoutes(services: Services, reads: ReadPipeline) {
  const { feeds, http, keys } = services;
  const readMetadata = createMetadataReads(services, reads);
  return new Elysia({ name: "metadata" })
    .use(authenticated(keys, "read", (id) => feeds.foresee(id)))
    .get(
      "/feed/:id/metadata",
      async ({ call, principal, params }) =>
        respondOutcome(http, call, await readMetadata({ call, principal }, params.id)),
      { params: FEED_PARAMS, query: NO_PARAMETERS, ...READ_METADATA },
    );
}
