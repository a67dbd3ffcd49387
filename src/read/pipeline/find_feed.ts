/**
 * Finds the feed of a read. If memory does not know a feed, it is looked up in the database before the client gets 404.
 * Only then is a slug looked up that the client may have meant.
 *
 * @module
 */

import { feedNotFound } from "../../api/problems/call_refusals.ts";
import type { FeedSeeker, Feeds } from "../../feeds/find.ts";
import type { Problem } from "../../http/problem_details.ts";

interface WantedFeed {
  readonly seeker: FeedSeeker;
  /** A feed's id or its `endpoint_path`. */
  readonly reference: string;
  /** Whether to ask the database even if the feed is in memory. */
  readonly isFresh: boolean;
}

/** Undefined if there is no such feed, or if this account can't see it. */
export function findFeed(
  feeds: Feeds,
  { seeker, reference, isFresh }: WantedFeed,
): ReturnType<Feeds["find"]> {
  return isFresh ? feeds.findFresh(seeker, reference) : feeds.find(seeker, reference);
}

/** 404. */
export async function problemOfNoFeed(
  feeds: Feeds,
  { seeker, reference, isFresh }: WantedFeed,
): Promise<Problem> {
  return feedNotFound(isFresh ? await feeds.findNearestSlug(seeker.id, reference) : undefined);
}
