/**
 * `feed list`, `feed show`, `feed publish`, `feed unpublish`, `feed suspend`, `feed resume`, `feed delete`: the
 * operator says what is listed. Interface 1, decisions 8 and 10, beyond 2.
 *
 * @module
 */

import { pricingText } from "../accounts/money.ts";
import { type FeedRow, feedRowText } from "../feeds/feed_text.ts";
import { type FeedReview, reviewFeed } from "../feeds/review_feed.ts";
import { DELETIONS_PER_FEED_ALLOWED, PAGE_LIMIT_MAX } from "../limits.ts";
import type { Database, Row } from "../postgres/client/query.ts";
import { type Answer, RefusedError } from "./command.ts";
import { type DatabaseInput, databaseCommand } from "./database.ts";
import { jsonLines } from "./json_lines.ts";
import { AFTER_OPTION, LIMIT_OPTION, listAnswer } from "./list_page.ts";
import { ACCOUNT_OPTION, flag, integer, SUSPENSION_REASON } from "./options.ts";
import { type Columns, fields, table } from "./output.ts";
import { accountIdOf, feedIdOf, findFeed, findLiveFeed } from "./references.ts";

/** Rows that `feed show` prints. */
const ROWS_SHOWN = 3;
/** Of a row's text, and lines of a schema or a sample, for a reader; `--json` has all. */
const ROW_LENGTH_SHOWN = 600;
const LINES_SHOWN = 40;
const BYTES_PER_KB = 1_024;

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
  options: { yes: flag("don't ask first; without a terminal, or with --json, nobody is asked") },
  run: async (input) => {
    const { database, argument, output, values } = input;
    const row = await findFeed(database, argument);
    if (row.deleted_at === null && values.yes !== true && output.confirm?.(loss(row)) === false) {
      throw new RefusedError("nothing was deleted");
    }
    await database.row("delete_feed", [null, row.feed_id, null, null, DELETIONS_PER_FEED_ALLOWED]);
    return showFeed(input, row.feed_id);
  },
});

const feedShow = databaseCommand({
  words: "feed show",
  argument: "ID",
  about: "show a feed in any state, by id or slug: what it says, holds and was pushed",
  options: {
    rows: integer(`its newest rows that are shown; default ${ROWS_SHOWN}`, {
      least: 0,
      most: PAGE_LIMIT_MAX,
    }),
  },
  run: (input) => showFeed(input, input.argument, input.values.rows),
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

/** What a reviewer looks at, and what is still to be removed of a deleted feed. */
async function showFeed(
  { database, config }: DatabaseInput,
  reference: string,
  rowsMax = ROWS_SHOWN,
): Promise<Answer> {
  const review = await reviewFeed(database, await findFeed(database, reference), rowsMax);
  const { row, rowCount, payloadBytes, newestRows, pushes, rowsLeft } = review;
  const state = {
    row_count: Number(rowCount),
    bytes: Number(payloadBytes),
    suspension_reason: row.suspension_reason ?? undefined,
    ...(row.deleted_at !== null && { deleted_at: row.deleted_at, rows_left: Number(rowsLeft) }),
    pushes: pushes.map((push) => ({ ...push, body_bytes: Number(push.body_bytes) })),
  };
  const members = [
    feedRowText(row, config.limits).slice(1, -1),
    JSON.stringify(state).slice(1, -1),
    `"newest_rows":[${newestRows.join(",")}]`,
  ];
  const pushTable = table(pushes, PUSH_COLUMNS);
  return {
    json: `{${members.join(",")}}`,
    text: (columns) =>
      [
        fields(feedFields(review)),
        block("schema", row.schema_definition),
        block("sample", row.sample_response),
        ...(newestRows.length > 0
          ? [`newest rows, ${newestRows.length} of ${rowCount}:`, ...newestRows.map(rowLine), ""]
          : []),
        ...(pushes.length > 0 ? ["newest pushes:", pushTable(columns)] : []),
      ].join("\n"),
  };
}

/** What goes, as a question. */
function loss(row: Row<"find_feed_row">): string {
  const held = heldText({ rowCount: row.row_count, payloadBytes: row.payload_bytes });
  return `Delete the feed ${row.endpoint_path} (${row.name}) of ${row.account_name} for good, with ${held}?`;
}

/** JSON of a provider under a title, a member a line. */
function block(title: string, json: string | null): string {
  if (json === null) return "";
  const lines = jsonLines(json);
  const more =
    lines.length > LINES_SHOWN ? [`  … and ${lines.length - LINES_SHOWN} more lines`] : [];
  const shownLines = lines.slice(0, LINES_SHOWN).map((line) => `  ${excerptOf(line)}`);
  return [`${title}:`, ...shownLines, ...more, ""].join("\n");
}

function rowLine(json: string): string {
  return `  ${excerptOf(json)}`;
}

function excerptOf(text: string): string {
  return text.length <= ROW_LENGTH_SHOWN
    ? text
    : `${text.slice(0, ROW_LENGTH_SHOWN).toWellFormed()}…`;
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
  SLUG: { whole: (row) => row.endpoint_path },
  TYPE: (row) => row.feed_type,
  STATUS: (row) => (row.suspension_reason === null ? row.status : "suspended"),
  LISTED: (row) => (row.is_public ? "yes" : "no"),
  PRICE: pricingText,
  "LAST SYNC": (row) => row.last_sync_at,
  OWNER: (row) => row.account_name,
};

const PUSH_COLUMNS: Columns<Row<"list_newest_pushes">> = {
  "PUSHED AT": (push) => push.pushed_at,
  OUTCOME: { whole: (push) => (push.stored ? "stored" : push.code) },
  ROWS: (push) => push.rows_received,
  NEW: (push) => push.rows_inserted,
  CHANGED: (push) => push.rows_updated,
  KNOWN: (push) => push.rows_duplicate,
  WHY: (push) => (push.stored ? "" : push.detail),
  BYTES: (push) => push.body_bytes,
  MS: (push) => push.duration_ms,
};

function feedFields({ row, rowCount, payloadBytes, rowsLeft }: FeedReview) {
  const { reliability_score: score, retention_days: days } = row;
  return {
    feed: row.feed_id,
    slug: row.endpoint_path ?? (row.former_path && `free, was ${row.former_path}`),
    name: row.name,
    description: row.description,
    category: row.category,
    type: row.feed_type,
    state: stateOf(row, rowsLeft),
    listed: row.is_public ? "yes" : "no",
    price: pricingText(row),
    owner: `${row.account_id} (${row.account_name})`,
    holds: heldText({ rowCount, payloadBytes }),
    reliability: score === null ? "unrated" : `${score}%`,
    "last sync": row.last_sync_at,
    "synced every": `${row.sync_interval_mins} minutes`,
    schema: row.schema_definition === null ? "none" : row.schema_locked ? "locked" : "not locked",
    created: row.created_at,
    updated: row.updated_at,
    "events kept": days === null ? undefined : `${days} days`,
  };
}

/** What holds before what the provider has set. */
function stateOf(row: FeedRow, rowsLeft: bigint): string {
  if (row.deleted_at !== null) {
    const removal =
      row.emptied_at === null
        ? `${rowsText(rowsLeft)} still to be removed`
        : `emptied ${row.emptied_at}`;
    return `deleted ${row.deleted_at}, ${removal}`;
  }
  return row.suspension_reason === null
    ? row.status
    : `suspended: ${row.suspension_reason} (its provider has it ${row.status})`;
}

function heldText({
  rowCount,
  payloadBytes,
}: Pick<FeedReview, "rowCount" | "payloadBytes">): string {
  const bytes = Number(payloadBytes);
  const size =
    bytes < BYTES_PER_KB
      ? `${bytes} bytes`
      : bytes < BYTES_PER_KB ** 2
        ? `${Math.round(bytes / BYTES_PER_KB)} KB`
        : `${(bytes / BYTES_PER_KB ** 2).toFixed(1)} MB`;
  return `${rowsText(rowCount)}, ${size}`;
}

function rowsText(count: bigint): string {
  return `${count.toLocaleString("en-US")} ${count === 1n ? "row" : "rows"}`;
}
