/**
 * An account's access to feeds that are not open: its grants, its requests, and the open invitations to the addresses
 * of its members. See `src/spec/beyond.md`, section 18.
 *
 * @module
 */
import type { FeedAccess } from "../admission/claims.ts";
import { ACCESS_REQUEST_STATES, type AccessRequest } from "../feeds/access_request.ts";
import { FEED_ACCESS } from "../feeds/find.ts";
import { Problem } from "../http/problem_details.ts";
import { nameIn, present } from "../lib/assert.ts";
import { parseUuid } from "../lib/uuid.ts";
import {
  ACCESS_REFUSAL_DAYS,
  ADDRESS_INVITATIONS_LISTED,
  WAITING_FEEDS_LISTED,
} from "../limits.ts";
import type { Priced } from "../money/money.ts";
import type { Database, Row } from "../postgres/client/database.ts";

/** An account's access to a feed. */
export interface OwnAccess {
  /** True also if the feed is open, the account's own, or bought. */
  readonly mayRead: boolean;
  /** The account's grant. Undefined if it has none. */
  readonly grant: { readonly isFree: boolean; readonly expiresAt: string | null } | undefined;
  /** The most recent request. Undefined if there is none. */
  readonly request:
    | (Pick<AccessRequest, "status" | "message" | "reason" | "answered_at"> & {
        readonly asked_at: string;
      })
    | undefined;
  /** When the account may ask again after a refusal. Null if it may ask now. */
  readonly retryAt: string | null;
}

interface FeedOfAccount {
  readonly accountId: string;
  readonly feedId: string;
}

/** Returns undefined if the feed does not exist. */
export async function findOwnAccess(
  database: Database,
  { accountId, feedId }: FeedOfAccount,
): Promise<OwnAccess | undefined> {
  const row = await database.onBehalfOf(accountId).row("find_own_access", {
    account_id: accountId,
    feed_id: feedId,
    pause: `${ACCESS_REFUSAL_DAYS} days`,
  });
  if (row === undefined) return undefined;
  const { status, asked_at, message, reason, answered_at } = row;
  return {
    mayRead: row.may_read,
    grant: row.is_free === null ? undefined : { isFree: row.is_free, expiresAt: row.expires_at },
    request:
      status === null || asked_at === null
        ? undefined
        : { status: nameIn(ACCESS_REQUEST_STATES, status), message, reason, asked_at, answered_at },
    retryAt: row.retry_at,
  };
}

export type AddressInvitation = Row<"list_address_invitations">;

/** Feeds that an address is invited to read, oldest invitation first. */
export function listAddressInvitations(
  database: Database,
  addressKey: string,
): Promise<readonly AddressInvitation[]> {
  return database.rows("list_address_invitations", {
    address_key: addressKey,
    limit: ADDRESS_INVITATIONS_LISTED,
  });
}

interface Taken {
  readonly personId: string;
  /** The account that gets access. The person is a member of it. */
  readonly accountId: string;
  readonly invitationId: string;
}

/** Accepts an invitation: grants the account access to the feed. @throws {Problem} 404, 409, 422 */
export async function takeAccessInvitation(
  database: Database,
  { personId, accountId, invitationId: given }: Taken,
): Promise<void> {
  const invitationId = parseUuid(given);
  if (invitationId === undefined) throw invitationUnknown();
  const { outcome } = present(
    await database.row("take_access_invitation", {
      person_id: personId,
      account_id: accountId,
      invitation_id: invitationId,
    }),
  );
  switch (outcome) {
    case "granted":
      return;
    case "not_found":
      throw invitationUnknown();
    case "own_feed":
      throw new Problem("ACCESS_NOT_NEEDED", {
        detail:
          "This account owns the feed and needs no grant. To accept for another account, switch to it.",
      });
    case "ended":
      throw new Problem("INVITATION_NOT_FOUND", {
        detail:
          "The access granted by this invitation has expired. Ask the provider for a new one.",
      });
    case "not_member":
    case "account_unknown":
      throw new Problem("ACCOUNT_NOT_FOUND", {
        detail: "You are no longer a member of this account, so nothing was granted.",
      });
    default:
      throw new Error(`take_access_invitation returned the unknown outcome "${outcome}"`);
  }
}

function invitationUnknown(): Problem {
  return new Problem("INVITATION_NOT_FOUND", {
    detail: "This invitation has expired, was withdrawn or was accepted.",
  });
}

/** The account's own feeds with pending requests, oldest request first. */
export function listWaitingFeeds(
  database: Database,
  accountId: string,
): Promise<readonly Row<"list_waiting_feeds">[]> {
  return database
    .onBehalfOf(accountId)
    .rows("list_waiting_feeds", { account_id: accountId, limit: WAITING_FEEDS_LISTED });
}

export interface FoundFeed extends Priced {
  readonly access: FeedAccess;
}

/** Decides what an account may be shown of feeds that it knows by id. */
export interface ShownFeeds {
  /** Whether the account can find the feed, and so open its page. */
  isFound(feedId: string): boolean;
  /** Undefined if the account can't find the feed. */
  find(feedId: string): FoundFeed | undefined;
  /** Whether the feed is invited and not for this account. Then even its name is hidden. */
  isHidden(feedId: string): boolean;
}

export async function findShownFeeds(
  database: Database,
  accountId: string,
  feedIds: readonly string[],
): Promise<ShownFeeds> {
  const rows =
    feedIds.length === 0
      ? []
      : await database
          .onBehalfOf(accountId)
          .rows("find_shown_feeds", { account_id: accountId, feed_ids: [...new Set(feedIds)] });
  const known = new Map(rows.map((row) => [row.feed_id, row]));
  return {
    isFound: (feedId) => known.get(feedId)?.is_found === true,
    find(feedId) {
      const row = known.get(feedId);
      if (row?.is_found !== true) return undefined;
      const { price_type, call_price_nanos, one_time_price_cents } = row;
      const access = nameIn(FEED_ACCESS, row.access);
      return { access, price_type, call_price_nanos, one_time_price_cents };
    },
    isHidden: (feedId) => known.get(feedId)?.is_hidden === true,
  };
}
