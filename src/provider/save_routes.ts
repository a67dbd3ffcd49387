/**
 * A provider's own feeds: create, edit and list. Interface 4.7 and 4.8, decisions 10.
 *
 * @module
 */
import type { TObject } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { createEndpoint } from "../http/endpoint.ts";
import { documentedParameters } from "../http/parameters.ts";
import { UPLOAD_SECONDS_MAX } from "../limits.ts";
import type { Services } from "../services.ts";
import { createListFeeds, LIST_PARAMETERS } from "./list_feeds.ts";
import { CREATE_BODY, EDIT_BODY } from "./save_body.ts";
import { createCreateFeed, createEditFeed } from "./save_feed.ts";

const CREATE_DESCRIPTION = [
  "Makes a feed, as a draft unless `status` is `inactive`; its first successful push activates it. With the `id` of a feed of your account it is exactly an edit (200) and takes no place in the quota.",
  "Answers with the full feed row, `max_feeds_allowed` and `feeds_used`. `is_public` is the operator's to set.",
].join("\n\n");

const EDIT_DESCRIPTION = [
  "Changes the given fields and leaves the others. Null clears `description`, `readme_md`, `category`, `sample_response`, `schema_definition`, `update_frequency_text`, the prices, and `feed_type` while no data is stored.",
  "Read-only fields are ignored, so a row that was returned can be sent back. Two edits at once never lose each other's fields.",
].join("\n\n");

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
  const tags = ["provider"];
  return new Elysia({ name: "save" })
    .post(
      "/provider/feed/create",
      ({ request, server }) => {
        server?.timeout(request, UPLOAD_SECONDS_MAX);
        return create(request);
      },
      {
        parse: "none",
        detail: {
          operationId: "createFeed",
          tags,
          summary: "Create a feed, or edit an owned one by its id",
          description: CREATE_DESCRIPTION,
          requestBody: documentedBody(CREATE_BODY),
        },
      },
    )
    .patch(
      "/provider/feed/:feed_id/edit",
      ({ request, server, params }) => {
        server?.timeout(request, UPLOAD_SECONDS_MAX);
        return edit(request, params.feed_id);
      },
      {
        parse: "none",
        detail: {
          operationId: "editFeed",
          tags,
          summary: "Edit a feed of your account",
          description: EDIT_DESCRIPTION,
          requestBody: documentedBody(EDIT_BODY),
        },
      },
    )
    .get("/provider/feeds", ({ request }) => list(request), {
      detail: {
        operationId: "listProviderFeeds",
        tags,
        summary: "List the feeds of your account",
        description:
          "The full rows of your account's feeds, drafts included, newest first. It is not charged.",
        parameters: documentedParameters(LIST_PARAMETERS),
      },
    });
}

/** A body schema as OpenAPI shows it; the routes read their bodies themselves. */
function documentedBody(schema: TObject) {
  // Through JSON, which leaves the schema's symbols behind.
  const plain = JSON.parse(JSON.stringify(schema));
  return { required: true, content: { "application/json": { schema: plain } } };
}
