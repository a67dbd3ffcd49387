/**
 * `feed list`, `feed show`, `feed publish`, `feed unpublish`, `feed suspend`, `feed resume`, `feed delete`: the
 * operator says what is listed. Interface 1, decisions 8 and 10, beyond 2.
 *
 * @module
 */

import { pricingText } from "../accounts/money.ts";
import { type FeedRow, feedRowText } from "../feeds/feed_text.ts";
import { DELETIONS_PER_FEED_ALLOWED } from "../limits.ts";
import type { Database, Row } from "../postgres/client/query.ts";
import type { Answer } from "./command.ts";
import { type DatabaseInput, databaseCommand } from "./database.ts";
import { AFTER_OPTION, LIMIT_OPTION, listAnswer } from "./list_page.ts";
import { ACCOUNT_OPTION, flag, SUSPENSION_REASON } from "./options.ts";
import { type Columns, fields, table } from "./output.ts";
import { accountIdOf, feedIdOf, findFeed, findLiveFeed } from "./references.ts";

/** Pushes that `feed show` prints. */
const PUSHES_SHOWN = 20;

const feedList = databaseCommand({
  words: "feed list",
  about: "list feeds in any state but deleted, newest first",
  options: {
    account: ACCOUNT_OPTION,
    unlisted: flag("only those that are not public, which may wait for review"),
    limit: LIMIT_OPTION,
    after: AFTER_OPTION,
  },
  run: async ({ database, config, values }) => {
    const { unlisted = false } = values;
    const ownerId = await accountIdOf(database, values.account);
    const afterId = await feedIdOf(database, values.after);
    return listAnswer(values.limit, {
      read: (limit) => database.rows("list_feed_rows", [ownerId, unlisted, limit, 0n, afterId]),
      cursorOf: (row) => row.feed_id,
      json: (row) => feedRowText(row, config.limits),
      columns: FEED_COLUMNS,
    });
  },
});

const feedPublish = databaseCommand({
  words: "feed publish",
  argument: "ID",
  isRepeated: true,
  about: "list feeds in catalog and search; a draft shows once it is active",
  options: {},
  run: (input) => setPublic(input, true),
});

const feedUnpublish = databaseCommand({
  words: "feed unpublish",
  argument: "ID",
  isRepeated: true,
  about: "take feeds off catalog and search; they stay readable by id",
  options: {},
  run: (input) => setPublic(input, false),
});

const feedSuspend = databaseCommand({
  words: "feed suspend",
  argument: "ID",
  about: "let nobody read a feed or push to it, from the next request on; nothing is removed",
  options: { reason: SUSPENSION_REASON },
  run: (input) => setSuspended(input, input.values.reason),
});

const feedResume = databaseCommand({
  words: "feed resume",
  argument: "ID",
  about: "end a suspension: the feed is as it was",
  options: {},
  run: (input) => setSuspended(input, null),
});

const feedDelete = databaseCommand({
  words: "feed delete",
  argument: "ID",
  about: "delete a feed for good; a background job removes its rows",
  options: {},
  run: async (input) => {
    const { database, argument } = input;
    const { feed_id: feedId } = await findFeed(database, argument);
    await database.row("delete_feed", [null, feedId, null, null, DELETIONS_PER_FEED_ALLOWED]);
    return showFeed(input, feedId);
  },
});

const feedShow = databaseCommand({
  words: "feed show",
  argument: "ID",
  about: "show a feed in any state, by id or slug, and its newest pushes",
  options: {},
  run: (input) => showFeed(input, input.argument),
});

export const FEED_COMMANDS = [
  feedList,
  feedPublish,
  feedUnpublish,
  feedSuspend,
  feedResume,
  feedDelete,
  feedShow,
];

/** The feed, what is still to be removed of it, and its newest pushes. */
async function showFeed({ database, config }: DatabaseInput, reference: string): Promise<Answer> {
  const row = await findFeed(database, reference);
  const pushes = await database.rows("list_newest_pushes", [row.feed_id, PUSHES_SHOWN]);
  const left =
    row.deleted_at === null || row.emptied_at !== null
      ? 0n
      : ((await database.row("count_rows_left", [row.feed_id]))?.rows_left ?? 0n);
  const state = {
    suspension_reason: row.suspension_reason ?? undefined,
    ...(row.deleted_at !== null && { deleted_at: row.deleted_at, rows_left: Number(left) }),
    pushes: pushes.map((push) => ({ ...push, body_bytes: Number(push.body_bytes) })),
  };
  const pushTable = table(pushes, PUSH_COLUMNS);
  return {
    json: `${feedRowText(row, config.limits).slice(0, -1)},${JSON.stringify(state).slice(1)}`,
    text: (columns) => [fields(feedFields(row, left)), "", pushTable(columns)].join("\n"),
  };
}

/** To do it twice is to do it once. */
async function setSuspended(input: DatabaseInput, reason: string | null): Promise<Answer> {
  const { database, argument } = input;
  const { feed_id: feedId } = await findLiveFeed(database, argument);
  await database.row("suspend_feed", [feedId, reason]);
  return showFeed(input, feedId);
}

/** All the feeds named, or none if one is unknown. */
async function setPublic(input: DatabaseInput, isPublic: boolean): Promise<Answer> {
  const { database, config, arguments: references } = input;
  const named = await findFeeds(database, references);
  const feedIds = named.map((row) => row.feed_id);
  await database.rows("set_feeds_public", [feedIds, isPublic]);
  const rows = await findFeeds(database, feedIds);
  return {
    json: `[${rows.map((row) => feedRowText(row, config.limits)).join(",")}]`,
    text: table(rows, FEED_COLUMNS),
  };
}

/** Each once, however often it is named. */
async function findFeeds(database: Database, references: readonly string[]): Promise<FeedRow[]> {
  const found = await Promise.all(references.map((reference) => findLiveFeed(database, reference)));
  return [...new Map(found.map((row) => [row.feed_id, row])).values()];
}

const FEED_COLUMNS: Columns<FeedRow> = {
  ID: (row) => row.feed_id,
  SLUG: (row) => row.endpoint_path,
  TYPE: (row) => row.feed_type,
  STATUS: (row) => (row.suspension_reason === null ? row.status : "suspended"),
  LISTED: (row) => (row.is_public ? "yes" : "no"),
  PRICE: pricingText,
  "LAST SYNC": (row) => row.last_sync_at,
  OWNER: (row) => row.account_name,
};

const PUSH_COLUMNS: Columns<Row<"list_newest_pushes">> = {
  "PUSHED AT": (push) => push.pushed_at,
  OUTCOME: (push) => (push.stored ? "stored" : push.code),
  ROWS: (push) => push.rows_received,
  NEW: (push) => push.rows_inserted,
  CHANGED: (push) => push.rows_updated,
  KNOWN: (push) => push.rows_duplicate,
  BYTES: (push) => push.body_bytes,
  MS: (push) => push.duration_ms,
  WHY: (push) => (push.stored ? "" : push.detail),
};

function feedFields(row: FeedRow, rowsLeft: bigint) {
  const { reliability_score: score, retention_days: days } = row;
  const removal =
    row.emptied_at === null ? `${rowsLeft} rows still to be removed` : `emptied ${row.emptied_at}`;
  return {
    feed: row.feed_id,
    slug: row.endpoint_path ?? (row.former_path && `free, was ${row.former_path}`),
    name: row.name,
    description: row.description,
    category: row.category,
    type: row.feed_type,
    // Before the status, which stays what the provider set.
    deleted: row.deleted_at === null ? undefined : `${row.deleted_at}, ${removal}`,
    suspended: row.suspension_reason ?? undefined,
    status: row.status,
    listed: row.is_public ? "yes" : "no",
    price: pricingText(row),
    owner: `${row.account_id} (${row.account_name})`,
    reliability: score === null ? "unrated" : `${score}%`,
    "last sync": row.last_sync_at,
    "synced every": `${row.sync_interval_mins} minutes`,
    schema: row.schema_definition === null ? "none" : row.schema_locked ? "locked" : "not locked",
    created: row.created_at,
    updated: row.updated_at,
    "events kept": days === null ? undefined : `${days} days`,
  };
}
