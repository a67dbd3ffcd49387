/**
 * Functions of operators on feeds: review, publish, suspend, and delete them. See `src/spec/beyond.md`, sections 2 and
 * 5.
 *
 * @module
 */
import { Type } from "@sinclair/typebox";
import type { Actor } from "../accounts/actor.ts";
import {
  listFeedContents,
  type OpenBatch,
  openBatches,
  openBatchesOf,
} from "../feeds/feed_contents.ts";
import { FeedRowShape, REVIEWS } from "../feeds/feed_shapes.ts";
import { type FeedRow, feedRowText } from "../feeds/feed_text.ts";
import { FEED_STATUSES } from "../feeds/find.ts";
import { present } from "../lib/assert.ts";
import { oneOf } from "../lib/typebox.ts";
import {
  DELETIONS_PER_FEED_ALLOWED,
  LATE_FEEDS_FOUND_WITHIN,
  PAGE_LIMIT_MAX,
  PUSH_HISTORY,
} from "../limits.ts";
import type { Database, Row } from "../postgres/client/database.ts";
import { count, time } from "../shapes.ts";
import { accountReference, feedReference, reason } from "./common_shapes.ts";
import { inTime } from "./in_time.ts";
import { PAGE_INPUT, type Page, readPage } from "./keyset_page.ts";
import type { InputOf, Operator } from "./operator.ts";
import { accountIdOf, findFeed, findLiveFeed, findPlace } from "./references.ts";
import { Refused } from "./refused.ts";

/** Rows that a review has by default. */
export const ROWS_SHOWN = 3;
const PUSHES_SHOWN = 20;

export const FeedInput = Type.Object({ feed_id: feedReference });

/** What may be wrong with a feed. */
export const HEALTHS = ["late", "failing", "never_pushed"] as const;

export const ListFeedsInput = Type.Object({
  ...PAGE_INPUT,
  account_id: Type.Optional(accountReference),
  is_unlisted: Type.Optional(Type.Boolean({ description: "True: only unlisted feeds." })),
  status: Type.Optional(oneOf(FEED_STATUSES, { description: "Only feeds with this status." })),
  health: Type.Optional(
    oneOf(HEALTHS, {
      description:
        "Only feeds that are late (active, and the last push is older than the interval), failing (the last push was refused), or never_pushed.",
    }),
  ),
  review: Type.Optional(oneOf(REVIEWS, { description: "Only feeds with this review state." })),
});

/** Feeds in any state but deleted, newest first. The cursor is a feed's id. */
export async function listFeeds(
  { database }: Operator,
  input: InputOf<typeof ListFeedsInput>,
): Promise<Page<FeedRow>> {
  const { account_id: account, is_unlisted: isUnlisted = false, limit, cursor } = input;
  const { status = null, review = null, health = null } = input;
  const ownerId = await accountIdOf(database, account);
  const after = await findPlace(database, { cursor, find: findFeed });
  return readPage(limit, {
    read: (rowsMax) =>
      database.rows("list_feed_rows", {
        account_id: ownerId,
        is_unlisted_only: isUnlisted,
        status,
        review,
        health,
        is_full: true,
        limit: rowsMax,
        offset: 0n,
        after_feed_id: after?.feed_id ?? null,
      }),
    cursorOf: (row) => row.feed_id,
    entryOf: (row) => row,
  });
}

export interface FeedSearch {
  /** A part of the name or slug, in any case. */
  readonly part: string;
  readonly accountId?: string | undefined;
  readonly status?: (typeof FEED_STATUSES)[number] | undefined;
  readonly review?: (typeof REVIEWS)[number] | undefined;
  readonly limit: number;
  /** A feed's id. */
  readonly cursor?: string | undefined;
}

/** A feed as a search lists it. */
export type FoundFeed = Row<"search_feeds_by_name">;

/** Feeds in any state but deleted by a part of their name or slug, newest first. */
export async function searchFeeds(
  { database }: Operator,
  { part, accountId, status, review, limit, cursor }: FeedSearch,
): Promise<Page<FoundFeed>> {
  const after = await findPlace(database, { cursor, find: findFeed });
  return readPage(limit, {
    read: (rowsMax) =>
      inTime(
        database.rows("search_feeds_by_name", {
          part,
          account_id: accountId ?? null,
          status: status ?? null,
          review: review ?? null,
          after_feed_id: after?.feed_id ?? null,
          limit: rowsMax,
        }),
      ),
    cursorOf: (row) => row.feed_id,
    entryOf: (row) => row,
  });
}

/** An account that reads a feed. */
export type FeedReader = Row<"list_readers">;

/** Accounts that are ranked by what they read of a feed, and of them, those that are listed. */
export const READERS_RANKED_MAX = 300;
const READERS_LISTED = 50;

/** The accounts that read a feed on these UTC days, the most reads first. A read is counted within a minute. */
export function listReaders(
  { database }: Operator,
  { feedId, from, to }: { readonly feedId: string; readonly from: string; readonly to: string },
): Promise<readonly FeedReader[]> {
  return inTime(
    database.rows("list_readers", {
      feed_id: feedId,
      from_day: from,
      to_day: to,
      ranked_max: READERS_RANKED_MAX,
      limit: READERS_LISTED,
    }),
  );
}

/** Whether a feed was late when the job last looked, about a minute ago. A scan of all feeds tells it as of now. */
export async function hasLateFeeds({ database }: Operator): Promise<boolean> {
  const found = await database.row("has_late_feeds", { found_within: LATE_FEEDS_FOUND_WITHIN });
  return present(found).has_late;
}

export const ListingInput = Type.Object({
  feed_ids: Type.Unsafe<readonly string[]>(Type.Array(feedReference, { minItems: 1 })),
});

/** Lists feeds in catalog and search: all that are named, or none if one is unknown. A draft shows once it is active. */
export function publishFeeds(
  operator: Operator,
  input: InputOf<typeof ListingInput>,
  actor: Actor,
): Promise<readonly FeedRow[]> {
  return setPublic(operator, { ...input, isPublic: true }, actor);
}

/** Takes feeds off catalog and search. They stay readable by id. */
export function unpublishFeeds(
  operator: Operator,
  input: InputOf<typeof ListingInput>,
  actor: Actor,
): Promise<readonly FeedRow[]> {
  return setPublic(operator, { ...input, isPublic: false }, actor);
}

async function setPublic(
  { database }: Operator,
  { feed_ids, isPublic }: InputOf<typeof ListingInput> & { readonly isPublic: boolean },
  actor: Actor,
): Promise<readonly FeedRow[]> {
  const feedIds = (await findFeeds(database, feed_ids, findLiveFeed)).map((row) => row.feed_id);
  const set = { feed_ids: feedIds, is_public: isPublic, actor };
  const done = await database.rows("set_feeds_public", set);
  // Without a row, one of them was deleted meanwhile.
  return findFeeds(database, feedIds, done.length === 0 ? findLiveFeed : findFeed);
}

export const DeclineFeedInput = Type.Object({ feed_id: feedReference, reason });

/** Answers a provider that its feed is not listed, and why. It may ask again. @throws {Refused} if it is listed */
export async function declineFeed(
  operator: Operator,
  { feed_id: feed, reason }: InputOf<typeof DeclineFeedInput>,
  actor: Actor,
): Promise<FeedReview> {
  const { database } = operator;
  const { feed_id: feedId } = await findLiveFeed(database, feed);
  const declined = await database.row("decline_feed", { feed_id: feedId, reason, actor });
  if (declined === undefined) {
    // It may have been deleted meanwhile.
    await findLiveFeed(database, feedId);
    throw new Refused("FEED_LISTED", `feed "${feed}" is listed; unpublish it first`);
  }
  return reviewFeed(operator, { feed_id: feedId });
}

/** Each once, however often it is named. */
async function findFeeds(
  database: Database,
  references: readonly string[],
  find: typeof findLiveFeed,
): Promise<FeedRow[]> {
  const found = await Promise.all(references.map((reference) => find(database, reference)));
  return [...new Map(found.map((row) => [row.feed_id, row])).values()];
}

export const SuspendFeedInput = Type.Object({ feed_id: feedReference, reason });

/** Nobody reads the feed or pushes to it from the next request on. Nothing is removed. */
export function suspendFeed(
  operator: Operator,
  { feed_id: feed, reason }: InputOf<typeof SuspendFeedInput>,
  actor: Actor,
): Promise<FeedReview> {
  return setSuspended(operator, { feed, reason }, actor);
}

/** The feed is as it was. */
export function resumeFeed(
  operator: Operator,
  { feed_id: feed }: InputOf<typeof FeedInput>,
  actor: Actor,
): Promise<FeedReview> {
  return setSuspended(operator, { feed, reason: null }, actor);
}

/** To do it twice is to do it once. */
async function setSuspended(
  operator: Operator,
  { feed, reason }: { readonly feed: string; readonly reason: string | null },
  actor: Actor,
): Promise<FeedReview> {
  const { database } = operator;
  const { feed_id: feedId } = await findLiveFeed(database, feed);
  const done = await database.row("suspend_feed", { feed_id: feedId, reason, actor });
  // It was deleted meanwhile.
  if (done === undefined) await findLiveFeed(database, feedId);
  return reviewFeed(operator, { feed_id: feedId });
}

/** Deletes a feed for good. A job removes its rows. To delete it again is harmless. */
export async function deleteFeed(
  operator: Operator,
  { feed_id: feed }: InputOf<typeof FeedInput>,
  actor: Actor,
): Promise<FeedReview> {
  const { database } = operator;
  const { feed_id: feedId } = await findFeed(database, feed);
  await database.row("delete_feed", {
    account_id: null,
    feed_id: feedId,
    endpoint_path: null,
    actor,
    deletions_per_feed: DELETIONS_PER_FEED_ALLOWED,
  });
  return reviewFeed(operator, { feed_id: feedId });
}

export const ReviewFeedInput = Type.Object({
  feed_id: feedReference,
  rows: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: PAGE_LIMIT_MAX,
      description: `Newest rows; default ${ROWS_SHOWN}.`,
    }),
  ),
});

export const FeedReviewShape = Type.Object(
  {
    ...FeedRowShape.properties,
    row_count: count("Rows visible to readers."),
    bytes: count("UTF-8 bytes of their JSON text."),
    suspension_reason: Type.Optional(Type.String({ description: "Why it is suspended." })),
    deleted_at: Type.Optional(time("When it was deleted.")),
    open_batches: openBatches,
    rows_left: Type.Optional(count("For a deleted feed: rows that are still to be removed.")),
    pushes: Type.Array(Type.Unknown(), { description: "Newest first." }),
    newest_rows: Type.Array(Type.Unknown(), { description: "As they were pushed." }),
  },
  { $id: "FeedReview", description: "A feed as operators review it." },
);

/** What a reviewer looks at: what a feed says of itself, how much it holds, its newest rows and pushes. */
export interface FeedReview {
  readonly row: FeedRow;
  /** Rows that readers see, and the bytes of their texts. */
  readonly rowCount: bigint;
  readonly payloadBytes: bigint;
  /** JSON texts, as they were pushed. */
  readonly newestRows: readonly string[];
  readonly pushes: readonly Row<"list_pushes">[];
  readonly openBatches: readonly OpenBatch[];
  /** Of a deleted feed: rows that are still to be removed. */
  readonly rowsLeft: bigint;
}

/** A feed in any state. */
export async function reviewFeed(
  { database }: Operator,
  { feed_id: feed, rows: rowsMax = ROWS_SHOWN }: InputOf<typeof ReviewFeedInput>,
): Promise<FeedReview> {
  const row = await findFeed(database, feed);
  const feedId = row.feed_id;
  const isEmptying = row.deleted_at !== null && row.emptied_at === null;
  const [newest, pushes, contents, left] = await Promise.all([
    row.deleted_at === null && rowsMax > 0
      ? database.rows("list_newest_rows", { feed_id: feedId, rows_max: rowsMax })
      : [],
    database.rows("list_pushes", {
      feed_id: feedId,
      kept: PUSH_HISTORY,
      before_pushed_at: null,
      before_push_id: null,
      limit: PUSHES_SHOWN,
    }),
    listFeedContents(database, [feedId]),
    isEmptying ? database.row("count_rows_left", { feed_id: feedId }) : undefined,
  ]);
  return {
    row,
    rowCount: row.row_count,
    payloadBytes: row.payload_bytes,
    newestRows: newest.map(({ payload }) => payload),
    pushes,
    openBatches: openBatchesOf(contents),
    rowsLeft: left?.rows_left ?? 0n,
  };
}

/** The review as the text of a JSON object. */
export function feedReviewText(review: FeedReview, { limits }: Operator): string {
  const { row, pushes } = review;
  const state = {
    row_count: Number(review.rowCount),
    bytes: Number(review.payloadBytes),
    suspension_reason: row.suspension_reason ?? undefined,
    ...(row.deleted_at !== null && {
      deleted_at: row.deleted_at,
      rows_left: Number(review.rowsLeft),
    }),
    open_batches: review.openBatches,
    pushes: pushes.map((push) => ({
      ...push,
      push_id: Number(push.push_id),
      body_bytes: Number(push.body_bytes),
    })),
  };
  const members = [
    feedRowText(row, limits).slice(1, -1),
    JSON.stringify(state).slice(1, -1),
    `"newest_rows":[${review.newestRows.join(",")}]`,
  ];
  return `{${members.join(",")}}`;
}
