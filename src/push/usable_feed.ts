/**
 * The feed that a provider may push to.
 *
 * @module
 */
import { feedForbidden, feedSuspended } from "../api/feed_problems.ts";
import { type Feed, type Feeds, findOwned } from "../feeds/find.ts";

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
