/**
 * A provider deletes its own feeds, or rows of them.
 *
 * @module
 */
import type { Actor } from "../accounts/actor.ts";
import { invalidParameter } from "../api/input/parameters.ts";
import { feedForbidden, feedSuspended, tooManyDeletions } from "../api/problems/feed_problems.ts";
import { findOwned, referenceParameters } from "../feeds/find.ts";
import { present } from "../lib/assert.ts";
import { DELETIONS_PER_FEED_ALLOWED } from "../limits.ts";
import type { Services } from "../services.ts";

/** A feed that a provider names as its own. */
interface OwnFeed {
  readonly accountId: string;
  readonly actor: Actor;
  /** The feed's id or slug. */
  readonly reference: string;
}

/** Deletes a feed, and returns its id. @throws {Problem} 403, 429 */
export async function deleteOwnFeed(
  { database, storedFeeds, waits }: Services,
  { accountId, actor, reference }: OwnFeed,
): Promise<string> {
  const row = await database.row("delete_feed", {
    account_id: accountId,
    ...referenceParameters(reference),
    actor,
    deletions_per_feed: DELETIONS_PER_FEED_ALLOWED,
  });
  refuseForeign(row);
  if (row?.outcome === "limited") {
    throw tooManyDeletions(Number(row.deletions_max), Number(row.retry_after_ms));
  }
  const feedId = present(row?.feed_id);
  storedFeeds.forget(feedId);
  waits.moved(feedId, undefined);
  return feedId;
}

interface DeletedRows {
  readonly feedId: string;
  /** Ids of the rows that were deleted. */
  readonly deleted: readonly string[];
  readonly missing: readonly string[];
}

/** @throws {Problem} 400 for a singleton, 403 */
export async function deleteOwnRows(
  { database, storedFeeds, waits }: Services,
  { accountId, actor, reference, ids }: OwnFeed & { readonly ids: readonly string[] },
): Promise<DeletedRows> {
  const feed = await findOwned(storedFeeds, accountId, reference);
  if (feed === undefined) throw feedForbidden();
  const { feedId } = feed;
  if (feed.feedType === "singleton") {
    throw invalidParameter(
      "A singleton has no rows to remove. Push another document, or delete the feed.",
      "ids",
    );
  }
  // No id contains a NUL, and PostgreSQL rejects it in a parameter.
  const asked = ids.filter((id) => !id.includes("\0"));
  const row = await database.row("delete_rows", {
    account_id: accountId,
    feed_id: feedId,
    row_ids: asked,
    actor,
  });
  refuseForeign(row);
  const found = new Set<string>(JSON.parse(row?.deleted ?? "[]"));
  if (row !== undefined && row.data_version !== null) waits.moved(feedId, row.data_version);
  return {
    feedId,
    deleted: ids.filter((id) => found.has(id)),
    missing: ids.filter((id) => !found.has(id)),
  };
}

/** @throws {Problem} 403 if the statement refused the feed */
function refuseForeign(
  row: { readonly outcome: string; readonly suspension_reason?: string | null } | undefined,
): void {
  if (row?.outcome === "forbidden") throw feedForbidden();
  if (row?.outcome === "suspended") throw feedSuspended(row.suspension_reason ?? "");
}
