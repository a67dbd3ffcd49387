/**
 * The feed that a provider may push to and edit. It is checked before the body, so that 403 takes precedence over
 * mistakes in the body.
 *
 * @module
 */

import { type Feed, type Feeds, findOwned, seekerOf } from "../../feeds/find.ts";
import { feedForbidden, feedSuspended } from "../problems/feed_problems.ts";

/** @throws {Problem} 403 for a feed that is suspended, or not the account's own */
export async function findUsable(
  feeds: Feeds,
  accountId: string,
  reference: string,
): Promise<Feed> {
  const known = await findOwned(feeds, accountId, reference);
  // A feed that is suspended according to memory may have been resumed.
  const isSuspended = known !== undefined && known.suspensionReason !== null;
  const feed = isSuspended ? await feeds.findFresh(seekerOf(accountId), known.feedId) : known;
  if (feed === undefined) throw feedForbidden();
  if (feed.suspensionReason !== null) throw feedSuspended(feed.suspensionReason);
  return feed;
}
