/**
 * Requests for access, as the account that asks for it makes them and lists their outcomes. See `src/spec/beyond.md`,
 * section 18.
 *
 * @module
 */
import type { Principal } from "../api/callers/callers.ts";
import { feedNotFound } from "../api/problems/call_refusals.ts";
import type { AccessRequest } from "../feeds/access_request.ts";
import { Problem } from "../http/problem_details.ts";
import { present } from "../lib/assert.ts";
import { readTimePage } from "../lib/time_cursor.ts";
import { ACCESS_REFUSAL_DAYS } from "../limits.ts";
import type { Services } from "../services.ts";
import type { AccessRequests } from "./access_shapes.ts";
import { cursorInvalid, type PageAsked } from "./owned_feed.ts";
import { pageOfRequests, writtenRequest } from "./requests.ts";

type AskServices = Pick<Services, "database" | "feeds" | "cursorSecret">;

/** @throws {Problem} 404 for a feed that the account can't find, 409 */
export async function requestAccess(
  { database, feeds }: AskServices,
  { accountId, caller }: Principal,
  { reference, message }: { readonly reference: string; readonly message: string | undefined },
): Promise<AccessRequest> {
  const feed = await feeds.findFresh(caller.account, reference);
  if (feed === undefined) throw feedNotFound(await feeds.findNearestSlug(accountId, reference));
  const asked = present(
    await database.onBehalfOf(accountId).row("request_access", {
      account_id: accountId,
      feed_id: feed.feedId,
      message: message ?? null,
      pause: `${ACCESS_REFUSAL_DAYS} days`,
    }),
  );
  switch (asked.outcome) {
    case "requested":
      return writtenRequest(asked);
    case "not_found":
      throw feedNotFound();
    case "not_needed":
      throw new Problem("ACCESS_NOT_NEEDED", {
        detail: ({ readFeed }) => `Your account may read this feed now. Read it with ${readFeed}.`,
      });
    case "requested_before": {
      const { retry_at: retryAt } = asked;
      throw new Problem("ACCESS_REQUESTED", {
        detail:
          retryAt === null
            ? "Your account has already requested access to this feed, and the provider has not answered yet."
            : `The provider declined your account's last request. You can ask again after ${retryAt}.`,
        extras: { retry_at: retryAt },
      });
    }
    default:
      throw new Error(`request_access returned the unknown outcome "${asked.outcome}"`);
  }
}

/** The account's own requests, newest first. @throws {Problem} 400 for another account's cursor */
export function listOwnAccessRequests(
  services: AskServices,
  { accountId }: Pick<Principal, "accountId">,
  { limit, cursor }: PageAsked,
): Promise<AccessRequests> {
  return pageOfRequests(services, { feedId: null, askerId: accountId, limit, cursor });
}

/** Grants that the account has received, newest first. @throws {Problem} 400 for another account's cursor */
export async function listOwnGrants(
  { database, cursorSecret: secret }: AskServices,
  { accountId }: Pick<Principal, "accountId">,
  { limit, cursor }: PageAsked,
) {
  const page = await readTimePage({
    limit,
    cursor,
    scope: { secret, purpose: "grants cursor", binding: accountId },
    read: (place, rowsMax) =>
      database
        .onBehalfOf(accountId)
        .rows("list_account_grants", { account_id: accountId, ...place, limit: rowsMax }),
    placeOf: (row) => ({ time: row.granted_at, id: row.feed_id }),
  });
  if (page === undefined) throw cursorInvalid("this account's grants");
  return page;
}
