/**
 * The feed of a push or import that was decided on an older definition of it.
 *
 * @module
 */
import { type Feed, type Feeds, seekerOf } from "../feeds/find.ts";

/** The feed as it is now; or why nothing can be pushed to it any longer. */
export async function freshFeed(feeds: Feeds, { accountId, feedId }: Feed) {
  const feed = await feeds.findFresh(seekerOf(accountId), feedId);
  if (feed === undefined) return { kind: "feed_deleted" } as const;
  const { suspensionReason: reason } = feed;
  if (reason !== null) return { kind: "feed_suspended", reason } as const;
  return { kind: "fresh", feed } as const;
}
