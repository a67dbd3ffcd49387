/**
 * `feed list`, `feed show`, `feed publish`, `feed unpublish`, `feed suspend`, `feed resume`, `feed delete`: the
 * operator says what is listed. Interface 1, decisions 8 and 10, beyond 2.
 *
 * @module
 */

import { pricingText } from "../accounts/money.ts";
import type { Config } from "../config.ts";
import { type FeedRow, feedRowText } from "../feeds/feed_text.ts";
import type { Database, Row } from "../postgres/client/query.ts";
import { type Answer, command, type Input } from "./command.ts";
import { withDatabase } from "./database.ts";
import { AFTER_OPTION, LIMIT_OPTION, readPage } from "./list_page.ts";
import { ACCOUNT_OPTION, flag, SUSPENSION_REASON } from "./options.ts";
import { type Fitted, fields, shown, table } from "./output.ts";
import { findAccount, findFeed, findLiveFeed } from "./references.ts";

/** Pushes that `feed show` prints. */
const PUSHES_SHOWN = 20;

const feedList = command({
  words: "feed list",
  about: "list feeds in any state, newest first",
  options: {
    account: ACCOUNT_OPTION,
    unlisted: flag("only those that are not public, which may wait for review"),
    limit: LIMIT_OPTION,
    after: AFTER_OPTION,
  },
  run: ({ config, values }) =>
    withDatabase(config, async (database) => {
      const { account, after, unlisted = false } = values;
      const owner = account === undefined ? undefined : await findAccount(database, account);
      const last = after === undefined ? undefined : await findFeed(database, after);
      const { rows, more } = await readPage(values.limit, {
        read: (limit) =>
          database.rows("list_feed_rows", [
            owner?.account_id ?? null,
            unlisted,
            limit,
            0n,
            last?.feed_id ?? null,
          ]),
        cursorOf: (row) => row.feed_id,
      });
      return { ...answerOf(rows, config), more };
    }),
});

const feedPublish = command({
  words: "feed publish",
  arguments: ["ID"],
  isRepeated: true,
  about: "list feeds in catalog and search; a draft shows once it is active",
  options: {},
  run: (input) => setPublic(input, true),
});

const feedUnpublish = command({
  words: "feed unpublish",
  arguments: ["ID"],
  isRepeated: true,
  about: "take feeds off catalog and search; they stay readable by id",
  options: {},
  run: (input) => setPublic(input, false),
});

const feedSuspend = command({
  words: "feed suspend",
  arguments: ["ID"],
  about: "let nobody read a feed or push to it, from the next request on; nothing is removed",
  options: { reason: SUSPENSION_REASON },
  run: (input) => setSuspended(input, input.values.reason),
});

const feedResume = command({
  words: "feed resume",
  arguments: ["ID"],
  about: "end a suspension: the feed is as it was",
  options: {},
  run: (input) => setSuspended(input, null),
});

const feedDelete = command({
  words: "feed delete",
  arguments: ["ID"],
  about: "delete a feed for good; a background job removes its rows",
  options: {},
  run: ({ config, arguments: [reference = ""] }) =>
    withDatabase(config, async (database) => {
      const { feed_id: feedId } = await findFeed(database, reference);
      await database.row("delete_feed", [null, feedId, null]);
      return showFeed(database, config, feedId);
    }),
});

const feedShow = command({
  words: "feed show",
  arguments: ["ID"],
  about: "show a feed in any state, by id or slug, and its newest pushes",
  options: {},
  run: ({ config, arguments: [reference = ""] }) =>
    withDatabase(config, (database) => showFeed(database, config, reference)),
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
async function showFeed(database: Database, config: Config, reference: string): Promise<Answer> {
  const row = await findFeed(database, reference);
  const pushes = await database.rows("list_newest_pushes", [row.feed_id, PUSHES_SHOWN]);
  const left =
    row.deleted_at === null || row.emptied_at !== null
      ? 0n
      : ((await database.row("count_rows_left", [row.feed_id]))?.rows_left ?? 0n);
  const feed = feedRowText(row, config.limits).slice(0, -1);
  const deleted = `"deleted_at":${JSON.stringify(row.deleted_at)},"rows_left":${left}`;
  const members = [
    ...(row.suspension_reason === null
      ? []
      : [`"suspension_reason":${JSON.stringify(row.suspension_reason)}`]),
    ...(row.deleted_at === null ? [] : [deleted]),
    `"pushes":${JSON.stringify(pushes.map(pushEntry))}`,
  ];
  return {
    json: `${feed},${members.join(",")}}`,
    text: (columns) => [fields(feedFields(row, left)), "", pushTable(pushes)(columns)].join("\n"),
  };
}

/** To do it twice is to do it once. */
function setSuspended(
  {
    config,
    arguments: [reference = ""],
  }: Pick<Input<Record<never, never>>, "config" | "arguments">,
  reason: string | null,
): Promise<Answer> {
  return withDatabase(config, async (database) => {
    const { feed_id: feedId } = await findLiveFeed(database, reference);
    await database.row("suspend_feed", [feedId, reason]);
    return showFeed(database, config, feedId);
  });
}

/** All the feeds named, or none where one is unknown. */
function setPublic(
  { config, arguments: references }: Input<Record<never, never>>,
  isPublic: boolean,
): Promise<Answer> {
  return withDatabase(config, async (database) => {
    const named = await findFeeds(database, references);
    const feedIds = named.map((row) => row.feed_id);
    await database.rows("set_feeds_public", [feedIds, isPublic]);
    return answerOf(await findFeeds(database, feedIds), config);
  });
}

/** Each once, however often it is named. */
async function findFeeds(database: Database, references: readonly string[]): Promise<FeedRow[]> {
  const found = await Promise.all(references.map((reference) => findLiveFeed(database, reference)));
  return [...new Map(found.map((row) => [row.feed_id, row])).values()];
}

function answerOf(rows: readonly FeedRow[], config: Config): Answer {
  return {
    json: `[${rows.map((row) => feedRowText(row, config.limits)).join(",")}]`,
    text: table(
      ["ID", "SLUG", "TYPE", "STATUS", "LISTED", "PRICE", "LAST SYNC", "OWNER"],
      rows.map((row) => [
        row.feed_id,
        row.endpoint_path,
        shown(row.feed_type),
        row.suspension_reason === null ? row.status : "suspended",
        row.is_public ? "yes" : "no",
        pricingText(row),
        shown(row.last_sync_at),
        shown(row.account_name),
      ]),
    ),
  };
}

type PushRow = Row<"list_newest_pushes">;

function pushEntry(push: PushRow) {
  return { ...push, body_bytes: Number(push.body_bytes) };
}

function pushTable(pushes: readonly PushRow[]): Fitted {
  return table(
    ["PUSHED AT", "OUTCOME", "ROWS", "NEW", "CHANGED", "KNOWN", "BYTES", "MS", "WHY"],
    pushes.map((push) => [
      push.pushed_at,
      push.stored ? "stored" : shown(push.code),
      String(push.rows_received),
      String(push.rows_inserted),
      String(push.rows_updated),
      String(push.rows_duplicate),
      String(push.body_bytes),
      String(push.duration_ms),
      push.stored ? "" : shown(push.detail),
    ]),
  );
}

function feedFields(row: FeedRow, rowsLeft: bigint): Record<string, string> {
  return {
    feed: row.feed_id,
    slug: row.endpoint_path,
    name: shown(row.name),
    description: shown(row.description),
    category: shown(row.category),
    type: shown(row.feed_type),
    status: row.status,
    listed: row.is_public ? "yes" : "no",
    price: pricingText(row),
    owner: `${row.account_id} (${shown(row.account_name)})`,
    reliability: row.reliability_score === null ? "unrated" : `${row.reliability_score}%`,
    "last sync": shown(row.last_sync_at),
    "synced every": `${row.sync_interval_mins} minutes`,
    schema: row.schema_definition === null ? "none" : row.schema_locked ? "locked" : "not locked",
    created: row.created_at,
    updated: row.updated_at,
    ...(row.retention_days !== null && { "events kept": `${row.retention_days} days` }),
    ...(row.suspension_reason !== null && { suspended: shown(row.suspension_reason) }),
    ...(row.deleted_at !== null && {
      deleted: `${row.deleted_at}, ${deletionText(row, rowsLeft)}`,
    }),
  };
}

function deletionText({ emptied_at: emptiedAt }: FeedRow, rowsLeft: bigint): string {
  return emptiedAt === null ? `${rowsLeft} rows still to be removed` : `emptied ${emptiedAt}`;
}
