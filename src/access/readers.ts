/**
 * Grants of access to a feed, which its owner creates, changes and revokes.
 *
 * A grant is part of its account's state in admission, so it applies from the next read on, in every process. See
 * `src/spec/beyond.md`, section 18.
 *
 * @module
 */
import type { Actor } from "../accounts/actor.ts";
import { Problem } from "../http/problem_details.ts";
import { present } from "../lib/assert.ts";
import { readTimePage } from "../lib/time_cursor.ts";
import { parseUuid } from "../lib/uuid.ts";
import type { InputOf } from "../operator/operator.ts";
import type { Reader, Readers, SetReaderInput } from "./access_shapes.ts";
import {
  type AccessServices,
  accountUnknown,
  cursorInvalid,
  endPassed,
  type OwnedFeed,
  type PageAsked,
  requireOwned,
  termsOf,
} from "./owned_feed.ts";

/** Newest first. @throws {Problem} 400 for a cursor of another feed, 403 */
export async function listReaders(
  services: AccessServices,
  owned: OwnedFeed,
  { limit, cursor }: PageAsked,
): Promise<Readers> {
  const { feedId } = await requireOwned(services, owned);
  const page = await readTimePage({
    limit,
    cursor,
    scope: { secret: services.cursorSecret, purpose: "readers cursor", binding: feedId },
    read: (place, rowsMax) =>
      services.database
        .onBehalfOf(owned.accountId)
        .rows("list_feed_grants", { feed_id: feedId, account_id: null, ...place, limit: rowsMax }),
    placeOf: (row) => ({ time: row.granted_at, id: row.account_id }),
  });
  if (page === undefined) throw cursorInvalid("this feed's readers");
  const { rows, nextCursor } = page;
  return { readers: [...rows], limit, has_more: nextCursor !== null, next_cursor: nextCursor };
}

/** The grant of an account. Undefined if it has none. @throws {Problem} 403 */
export async function findReader(
  services: AccessServices,
  owned: OwnedFeed,
  given: string,
): Promise<Reader | undefined> {
  const { feedId } = await requireOwned(services, owned);
  const accountId = parseUuid(given);
  if (accountId === undefined) return undefined;
  const [reader] = await services.database.onBehalfOf(owned.accountId).rows("list_feed_grants", {
    feed_id: feedId,
    account_id: accountId,
    before_time: null,
    before_id: null,
    limit: 1,
  });
  return reader;
}

/** Grants an account access, or replaces its grant. Omitted fields get their defaults. @throws {Problem} */
export async function setReader(
  services: AccessServices,
  owned: OwnedFeed,
  {
    accountId: given,
    terms,
    actor,
  }: {
    readonly accountId: string;
    readonly terms: InputOf<typeof SetReaderInput>;
    readonly actor: Actor;
  },
): Promise<Reader> {
  const { feedId } = await requireOwned(services, owned);
  const accountId = parseUuid(given);
  if (accountId === undefined) throw accountUnknown();
  const { outcome, ...granted } = present(
    await services.database.row("grant_access", {
      feed_id: feedId,
      account_id: accountId,
      ...termsOf(terms),
      actor,
    }),
  );
  switch (outcome) {
    case "granted":
      return {
        account_id: present(granted.account_id),
        account_name: present(granted.account_name),
        is_free: present(granted.is_free),
        expires_at: granted.expires_at,
        note: granted.note,
        granted_at: present(granted.granted_at),
      };
    case "account_unknown":
      throw accountUnknown();
    case "own_feed":
      throw new Problem("ACCESS_NOT_NEEDED", {
        detail: "This account owns the feed and needs no grant.",
      });
    case "ended":
      throw endPassed();
    default:
      throw new Error(`grant_access returned the unknown outcome "${outcome}"`);
  }
}

/** Revokes a grant, effective with the next read. @throws {Problem} 403, 404 */
export async function removeReader(
  services: AccessServices,
  owned: OwnedFeed,
  { accountId: given, actor }: { readonly accountId: string; readonly actor: Actor },
): Promise<void> {
  const { feedId } = await requireOwned(services, owned);
  const accountId = parseUuid(given);
  const ended =
    accountId &&
    (await services.database.row("end_access", { feed_id: feedId, account_id: accountId, actor }));
  if (!ended) throw readerUnknown();
}

/** The account has no grant, or its grant has ended. */
export function readerUnknown(): Problem {
  return new Problem("READER_NOT_FOUND", {
    detail: "This account was not granted access to the feed, or its grant has ended.",
  });
}
