/**
 * Finds the feed of a read. A feed that memory does not know is looked up in the database before a client gets 404.
 * Only then a slug is looked for that the client probably meant.
 *
 * @module
 */

import { feedNotFound } from "../../api/problems/read_refusals.ts";
import type { Feeds } from "../../feeds/find.ts";
import type { Problem } from "../../http/problem_details.ts";

interface WantedFeed {
  readonly accountId: string;
  /** A feed's id or its `endpoint_path`. */
  readonly reference: string;
  /** Whether to ask the database even if memory has the feed. */
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
