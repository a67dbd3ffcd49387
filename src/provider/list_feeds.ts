/**
 * `GET /provider/feeds`: the account's own feeds, drafts included, newest first. Decisions 7 and 10.
 *
 * @module
 */
import { admitHousekeeping } from "../admission/housekeeping.ts";
import { feedRowText } from "../feed_row/feed_row.ts";
import { privateJson } from "../http/answer.ts";
import type { Handler } from "../http/endpoint.ts";
import { cappedLimit, hasMoreAfter, PAGE_PARAMETERS } from "../http/paging.ts";
import { readParameters } from "../http/parameters.ts";
import type { Services } from "../services.ts";

/** The handler of the route. */
export function createListFeeds(services: Services): Handler {
  const { config, database, keys } = services;
  return async (call) => {
    const principal = await keys.authenticate(call, "write");
    const { limit: limitGiven, offset } = await keys.provenOnRefusal(principal, () =>
      readParameters(PAGE_PARAMETERS, call.search),
    );
    await admitHousekeeping(services, { call, principal, operation: "feeds" });
    const limit = cappedLimit(limitGiven);
    const [count, rows] = await Promise.all([
      database.row("count_feeds", [principal.accountId]),
      database.rows("list_feed_rows", [principal.accountId, false, limit, BigInt(offset)]),
    ]);
    const total = Number(count?.total ?? 0n);
    const hasMore = hasMoreAfter({ offset, shown: rows.length, total });
    const feeds = rows.map((row) => feedRowText(row, config.limits)).join(",");
    const page = `"total":${total},"limit":${limit},"offset":${offset},"has_more":${hasMore}`;
    return { headers: privateJson(), body: `{"feeds":[${feeds}],${page}}` };
  };
}
