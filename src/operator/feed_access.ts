/**
 * Grants and requests for access, as an operator lists them: for a feed, of an account, or all. Beyond 18.
 *
 * Providers decide who reads their feeds, so an operator only looks. The notes that they keep about readers stay theirs.
 *
 * @module
 */
import { type Static, Type } from "@sinclair/typebox";
import { nameIn } from "../lib/assert.ts";
import { nullable, oneOf } from "../lib/typebox.ts";
import type { Row } from "../postgres/client/database.ts";
import { time, uuid } from "../shapes.ts";
import { accountReference, feedReference } from "./common_shapes.ts";
import { defineCursor, timePart, uuidPart } from "./keyset_cursor.ts";
import { PAGE_INPUT, type Page, readPage } from "./keyset_page.ts";
import type { InputOf, Operator } from "./operator.ts";
import { accountIdOf, findFeed } from "./references.ts";

export const ACCESS_REQUEST_STATES = ["waiting", "approved", "declined"] as const;

const parties = {
  account_id: uuid("Of the account that may read the feed, or asks to."),
  account_name: Type.String({ description: "Its name." }),
  feed_id: uuid("Of the feed."),
  endpoint_path: nullable(
    Type.String({ description: "The feed's slug; null once it is deleted and free." }),
  ),
  feed_name: Type.String({ description: "The feed's name." }),
};

export const AccessGrantShape = Type.Object(
  {
    ...parties,
    is_free: Type.Boolean({ description: "Whether reads cost the account nothing." }),
    expires_at: nullable(time("When the grant ends. Null: it does not.")),
    granted_at: time("When it was granted."),
  },
  { $id: "AccessGrant", description: "A grant that lets an account read a feed." },
);
export type AccessGrantOutcome = Static<typeof AccessGrantShape>;

export const ListedAccessRequestShape = Type.Object(
  {
    request_id: uuid("Of the request."),
    ...parties,
    message: nullable(Type.String({ description: "What the account wants the data for." })),
    status: oneOf(ACCESS_REQUEST_STATES, { description: "What became of it." }),
    reason: nullable(Type.String({ description: "Why it was declined, if the provider says so." })),
    asked_at: time("When it was asked."),
    answered_at: nullable(time("When it was answered.")),
  },
  { $id: "ListedAccessRequest", description: "An account's request to read a feed." },
);
export type AccessRequestOutcome = Static<typeof ListedAccessRequestShape>;

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
): Promise<Page<AccessRequestOutcome>> {
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
    entryOf: requestOf,
  });
}

function requestOf(row: Row<"list_access_requests">): AccessRequestOutcome {
  return { ...row, status: nameIn(ACCESS_REQUEST_STATES, row.status) };
}
