/**
 * Finds the feed of a read. What memory does not know is looked up afresh before a client is told of it, and only
 * then is a slug that was probably meant looked for.
 *
 * @module
 */

import { feedNotFound } from "../../api/refusals.ts";
import type { Feeds } from "../../feeds/find.ts";
import type { Problem } from "../../http/errors.ts";

interface WantedFeed {
  readonly accountId: string;
  /** A feed's id or its `endpoint_path`. */
  readonly reference: string;
  /** Whether the database is asked, whatever memory has. */
  readonly isFresh: boolean;
}

/** Undefined: there is none, or none that this account sees. */
export function findFeed(
  feeds: Feeds,
  { accountId, reference, isFresh }: WantedFeed,
): ReturnType<Feeds["find"]> {
  return isFresh ? feeds.findFresh(accountId, reference) : feeds.find(accountId, reference);
}

/** 404. */
export async function problemOfNoFeed(
  feeds: Feeds,
  { accountId, reference, isFresh }: WantedFeed,
): Promise<Problem> {
  return feedNotFound(isFresh ? await feeds.findNearestSlug(accountId, reference) : undefined);
}
