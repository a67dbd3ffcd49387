/**
 * A provider's own feeds: create, edit and list. Interface 4.7 and 4.8, decisions 10.
 *
 * @module
 */
import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { admitHousekeeping } from "../admission/housekeeping.ts";
import { privateJson } from "../http/answer.ts";
import { authenticated } from "../http/auth.ts";
import { PAGE_PARAMETERS, pageOf } from "../http/paging.ts";
import { NO_PARAMETERS, parameters } from "../http/parameters.ts";
import { respond } from "../http/respond.ts";
import { uploads } from "../http/uploads.ts";
import type { Services } from "../services.ts";
import { listFeeds } from "./list_feeds.ts";
import { createFeed, editFeed } from "./save_feed.ts";

const OWN_FEED_PARAMS = Type.Object({
  feed_id: Type.String({ description: "UUID of a feed that the key's account owns." }),
});
const FEEDS_QUERY = parameters(PAGE_PARAMETERS);

export function saveRoutes(services: Services) {
  return new Elysia({ name: "save" })
    .use(authenticated(services.keys, "write"))
    .get(
      "/provider/feeds",
      async ({ call, principal, query }) => {
        await admitHousekeeping(services, { call, principal, operation: "feeds" });
        const body = await listFeeds(services, principal.accountId, pageOf(query));
        return respond({ headers: privateJson(), body });
      },
      { query: FEEDS_QUERY },
    )
    .use(uploads())
    .post(
      "/provider/feed/create",
      async ({ call, principal }) => respond(await createFeed(services, call, principal)),
      { parse: "none", query: NO_PARAMETERS },
    )
    .patch(
      "/provider/feed/:feed_id/edit",
      async ({ call, principal, params }) =>
        respond(await editFeed(services, call, { principal, reference: params.feed_id })),
      { parse: "none", params: OWN_FEED_PARAMS, query: NO_PARAMETERS },
    );
}
