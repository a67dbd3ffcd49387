/**
 * Grants and access requests as an operator lists them: of a feed, of an account, or all. See `src/spec/beyond.md`,
 * section 18.
 *
 * Providers decide who reads their feeds, so operators have read-only access. Providers' notes about readers are not
 * shown to them.
 *
 * @module
 */
import { type Static, Type } from "@sinclair/typebox";
import {
  ACCESS_REQUEST_STATES,
  type AccessRequest,
  accessRequestOf,
} from "../feeds/access_request.ts";
import { nullable, oneOf } from "../lib/typebox.ts";
import { time, uuid } from "../shapes.ts";
import { accountReference, feedReference } from "./common_shapes.ts";
import { defineCursor, timePart, uuidPart } from "./keyset_cursor.ts";
import { PAGE_INPUT, type Page, readPage } from "./keyset_page.ts";
import type { InputOf, Operator } from "./operator.ts";
import { accountIdOf, findFeed } from "./references.ts";

export const AccessGrantShape = Type.Object(
  {
    account_id: uuid("The account that may read the feed."),
    account_name: Type.String({ description: "Its name." }),
    feed_id: uuid("Of the feed."),
    endpoint_path: nullable(
      Type.String({
        description:
          "The feed's slug. Null once the feed is deleted and the slug is available again.",
      }),
    ),
    feed_name: Type.String({ description: "The feed's name." }),
    is_free: Type.Boolean({ description: "Whether reads are free for the account." }),
    expires_at: nullable(time("When the grant expires. Null: never.")),
    granted_at: time("When it was granted."),
  },
  { $id: "AccessGrant", description: "A grant that lets an account read a feed." },
);
export type AccessGrantOutcome = Static<typeof AccessGrantShape>;

export const FeedReadersInput = Type.Object({ ...PAGE_INPUT, feed_id: feedReference });

const filters = {
  account_id: Type.Optional(accountReference),
  feed_id: Type.Optional(feedReference),
};

export const ListGrantsInput = Type.Object({ ...PAGE_INPUT, ...filters });

export const ListAccessRequestsInput = Type.Object({
  ...PAGE_INPUT,
  ...filters,
  status: Type.Optional(
    oneOf(ACCESS_REQUEST_STATES, { description: "Only requests in this state." }),
  ),
});

export const GRANTS_CURSOR = defineCursor(timePart, uuidPart, uuidPart);

/** Newest first, without those that have ended and those for deleted feeds. */
export async function listGrants(
  { database }: Operator,
  { limit, cursor, account_id: account, feed_id: feed }: InputOf<typeof ListGrantsInput>,
): Promise<Page<AccessGrantOutcome>> {
  const [accountId, found] = await Promise.all([
    accountIdOf(database, account),
    feed === undefined ? undefined : findFeed(database, feed),
  ]);
  const [beforeTime = null, beforeAccount = null, beforeFeed = null] = GRANTS_CURSOR.parse(cursor);
  return readPage(limit, {
    read: (rowsMax) =>
      database.rows("list_access_grants", {
        account_id: accountId,
        feed_id: found?.feed_id ?? null,
        before_time: beforeTime,
        before_account_id: beforeAccount,
        before_feed_id: beforeFeed,
        limit: rowsMax,
      }),
    cursorOf: (row) => GRANTS_CURSOR.write(row.granted_at, row.account_id, row.feed_id),
    entryOf: (row) => row,
  });
}

export const ACCESS_REQUESTS_CURSOR = defineCursor(timePart, uuidPart);

/** Newest first. */
export async function listRequestsForAccess(
  { database }: Operator,
  input: InputOf<typeof ListAccessRequestsInput>,
): Promise<Page<AccessRequest>> {
  const { limit, cursor, account_id: account, feed_id: feed, status = null } = input;
  const [accountId, found] = await Promise.all([
    accountIdOf(database, account),
    feed === undefined ? undefined : findFeed(database, feed),
  ]);
  const [beforeTime = null, beforeId = null] = ACCESS_REQUESTS_CURSOR.parse(cursor);
  return readPage(limit, {
    read: (rowsMax) =>
      database.rows("list_access_requests", {
        account_id: accountId,
        feed_id: found?.feed_id ?? null,
        finder_id: null,
        status,
        before_time: beforeTime,
        before_id: beforeId,
        limit: rowsMax,
      }),
    cursorOf: (row) => ACCESS_REQUESTS_CURSOR.write(row.asked_at, row.request_id),
    entryOf: accessRequestOf,
  });
}
