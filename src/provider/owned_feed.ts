/**
 * The provider's own feed that a push or an edit names. Decisions 2 and 3.
 *
 * @module
 */
import type { Feed } from "../feed_row/feeds.ts";
import { Problem } from "../http/errors.ts";
import type { Principal } from "../key/keys.ts";
import { parseUuid } from "../lib/uuid.ts";
import type { Services } from "../services.ts";

/** @throws {Problem} 403 `FEED_FORBIDDEN`, after a proof of the key: one that was revoked is told so. */
export async function findOwned(
  services: Services,
  principal: Principal,
  reference: string,
): Promise<Feed> {
  const feedId = parseUuid(reference);
  const feed = feedId === undefined ? undefined : await services.feeds.find(feedId);
  if (feed?.accountId === principal.accountId) return feed;
  await services.keys.prove(principal);
  throw feedForbidden();
}

/** One and the same refusal for an unknown id and another account's. */
export function feedForbidden(): Problem {
  return new Problem("FEED_FORBIDDEN", {
    detail:
      "This key's account owns no feed with this id (a UUID, not an endpoint_path); check the id, or use the key of its owner.",
  });
}
