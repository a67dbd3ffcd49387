/**
 * The provider's own feed that a push or an edit names. Decisions 2 and 3.
 *
 * @module
 */
import { Problem } from "../http/errors.ts";
import type { Keys, Principal } from "../key/keys.ts";
import { parseUuid } from "../lib/uuid.ts";
import type { Feed, Feeds } from "./feeds.ts";

/** @throws {Problem} 403 `FEED_FORBIDDEN`; `KEY_INVALID` if the key turns out to be revoked or expired. */
export async function findOwned(
  { storedFeeds, keys }: { readonly storedFeeds: Feeds; readonly keys: Keys },
  principal: Principal,
  reference: string,
): Promise<Feed> {
  const feedId = parseUuid(reference);
  const feed =
    feedId === undefined ? undefined : await storedFeeds.find(principal.accountId, feedId);
  if (feed?.accountId === principal.accountId) return feed;
  await keys.prove(principal);
  throw feedForbidden();
}

/** The same refusal for an unknown id and another account's. */
export function feedForbidden(): Problem {
  return new Problem("FEED_FORBIDDEN", {
    detail:
      "This key's account owns no feed with this id (a UUID, not an endpoint_path); check the id, or use the key of its owner.",
  });
}
