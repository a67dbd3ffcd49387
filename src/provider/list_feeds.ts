/**
 * `GET /provider/feeds`: the account's own feeds, drafts included, newest first. Decisions 7 and 10.
 *
 * @module
 */
import { Type } from "@sinclair/typebox";
import { admitHousekeeping } from "../admission/housekeeping.ts";
import { feedRowText } from "../feed_row/feed_row.ts";
import { privateJson } from "../http/answer.ts";
import type { Handler } from "../http/endpoint.ts";
import { readParameters } from "../http/parameters.ts";
import { PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from "../limits.ts";
import type { Services } from "../services.ts";

export const LIST_PARAMETERS = Type.Object({
  limit: Type.Integer({
    minimum: 1,
    default: PAGE_LIMIT_DEFAULT,
    description: `Feeds on the page; above ${PAGE_LIMIT_MAX} is capped.`,
  }),
  offset: Type.Integer({ minimum: 0, default: 0, description: "Feeds to skip." }),
});

/** The handler of the route. */
export function createListFeeds(services: Services): Handler {
  const { config, database, keys } = services;
  return async (call) => {
    const principal = await keys.authenticate(call, "write");
    const { limit: limitGiven, offset } = await keys.provenOnRefusal(principal, () =>
      readParameters(LIST_PARAMETERS, call.search),
    );
    await admitHousekeeping(services, { call, principal, operation: "feeds" });
    const limit = Math.min(limitGiven, PAGE_LIMIT_MAX);
    const [count, rows] = await Promise.all([
      database.row("count_feeds", [principal.accountId]),
      database.rows("list_feed_rows", [principal.accountId, false, limit, BigInt(offset)]),
    ]);
    const total = Number(count?.total ?? 0n);
    const hasMore = offset + rows.length < total && rows.length > 0;
    const feeds = rows.map((row) => feedRowText(row, config.limits)).join(",");
    const page = `"total":${total},"limit":${limit},"offset":${offset},"has_more":${hasMore}`;
    return { headers: privateJson(), body: `{"feeds":[${feeds}],${page}}` };
  };
}
