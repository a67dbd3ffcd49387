/**
 * The feed that a provider may push to and edit. It is looked at before the body, whose mistakes come after 403.
 *
 * @module
 */

import { type Feed, type Feeds, findOwned } from "../../feeds/find.ts";
import { feedForbidden, feedSuspended } from "../problems/feed_problems.ts";

/** @throws {Problem} 403 for a feed that is not the account's, or is suspended */
export async function findUsable(
  feeds: Feeds,
  accountId: string,
  reference: string,
): Promise<Feed> {
  const known = await findOwned(feeds, accountId, reference);
  // What memory says is suspended may have been resumed.
  const isSuspended = known !== undefined && known.suspensionReason !== null;
  const feed = isSuspended ? await feeds.findFresh(accountId, known.feedId) : known;
  if (feed === undefined) throw feedForbidden();
  if (feed.suspensionReason !== null) throw feedSuspended(feed.suspensionReason);
  return feed;
}
