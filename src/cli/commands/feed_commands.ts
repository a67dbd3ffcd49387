/**
 * `feed list`, `show`, `publish`, `unpublish`, `suspend`, `resume` and `delete`: the operator reviews feeds and decides
 * which ones are listed.
 *
 * @module
 */

import { REVIEWS } from "../../feeds/feed_shapes.ts";
import { type FeedRow, feedRowText, reviewOf } from "../../feeds/feed_text.ts";
import { FEED_STATUSES } from "../../feeds/find.ts";
import { PAGE_LIMIT_MAX } from "../../limits.ts";
import { pricingText } from "../../money/money.ts";
import {
  declineFeed,
  deleteFeed,
  type FeedReview,
  feedReviewText,
  HEALTHS,
  listFeeds,
  publishFeeds,
  ROWS_SHOWN,
  resumeFeed,
  reviewFeed,
  suspendFeed,
  unpublishFeeds,
} from "../../operator/feeds.ts";
import type { Operator } from "../../operator/operator.ts";
import type { Row } from "../../postgres/client/database.ts";
import { type Answer, RefusedError } from "../command.ts";
import { databaseCommand } from "../database_command.ts";
import { jsonLines } from "../json_lines.ts";
import { AFTER_OPTION, LIMIT_OPTION, listAnswer } from "../list_page.ts";
import {
  ACCOUNT_OPTION,
  flag,
  integer,
  oneOf,
  required,
  SUSPENSION_REASON,
  text,
} from "../options.ts";
import { type Columns, fields, table } from "../output.ts";

/** Characters of a row, and lines of a schema or sample, in readable output. `--json` shows everything. */
const ROW_LENGTH_SHOWN = 600;
const LINES_SHOWN = 40;
const BYTES_PER_KB = 1_024;

const feedList = databaseCommand({
  words: "feed list",
  about: "list feeds in any state except deleted, newest first",
  options: {
    account: ACCOUNT_OPTION,
    unlisted: flag("only feeds that are not listed in the catalog"),
    status: oneOf(FEED_STATUSES, "only feeds with this status"),
    health: oneOf(
      HEALTHS,
      "only feeds whose last push is overdue, whose last push was refused, or that were never pushed",
    ),
    review: oneOf(
      REVIEWS,
      "only feeds with this review status; waiting: the provider has requested a review",
    ),
    limit: LIMIT_OPTION,
    after: AFTER_OPTION,
  },
  run: async ({ operator, values: { account, unlisted, after, ...filters } }) => {
    const input = { ...filters, account_id: account, is_unlisted: unlisted, cursor: after };
    return listAnswer(await listFeeds(operator, input), FEED_COLUMNS, (row) =>
      feedRowText(row, operator.limits),
    );
  },
});

const feedPublish = databaseCommand({
  words: "feed publish",
  argument: "ID",
  isRepeated: true,
  about: "list feeds in catalog and search; a draft appears once it is active",
  options: {},
  run: async ({ operator, actor, arguments: feeds }) =>
    listedAnswer(operator, await publishFeeds(operator, { feed_ids: feeds }, actor)),
});

const feedUnpublish = databaseCommand({
  words: "feed unpublish",
  argument: "ID",
  isRepeated: true,
  about: "remove feeds from catalog and search; they stay readable by id",
  options: {},
  run: async ({ operator, actor, arguments: feeds }) =>
    listedAnswer(operator, await unpublishFeeds(operator, { feed_ids: feeds }, actor)),
});

const feedDecline = databaseCommand({
  words: "feed decline",
  argument: "ID",
  about: "decline to list a feed, with a reason; the provider can request another review",
  options: { reason: required(text("reason, shown to the owner")) },
  run: async ({ operator, actor, values: { reason }, argument: feed }) =>
    reviewAnswer(operator, await declineFeed(operator, { feed_id: feed, reason }, actor)),
});

const feedSuspend = databaseCommand({
  words: "feed suspend",
  argument: "ID",
  about: "block reads of a feed and pushes to it from the next request on; its data stays",
  options: { reason: SUSPENSION_REASON },
  run: async ({ operator, actor, values: { reason }, argument: feed }) =>
    reviewAnswer(operator, await suspendFeed(operator, { feed_id: feed, reason }, actor)),
});

const feedResume = databaseCommand({
  words: "feed resume",
  argument: "ID",
  about: "end a suspension: the feed works as before",
  options: {},
  run: async ({ operator, actor, argument: feed }) =>
    reviewAnswer(operator, await resumeFeed(operator, { feed_id: feed }, actor)),
});

const feedDelete = databaseCommand({
  words: "feed delete",
  argument: "ID",
  about: "permanently delete a feed; a background job removes its rows",
  options: {
    yes: flag("skip the confirmation, which is also skipped with --json or without a terminal"),
  },
  run: async ({ operator, actor, values: { yes }, argument: feed, output: { confirm } }) => {
    if (yes !== true && confirm !== undefined) {
      const review = await reviewFeed(operator, { feed_id: feed, rows: 0 });
      const isAsked = review.row.deleted_at === null;
      if (isAsked && !confirm(loss(review))) throw new RefusedError("nothing was deleted");
    }
    return reviewAnswer(operator, await deleteFeed(operator, { feed_id: feed }, actor));
  },
});

const feedShow = databaseCommand({
  words: "feed show",
  argument: "ID",
  about: "show a feed in any state, by id or slug: its definition, contents and latest pushes",
  options: {
    rows: integer(`number of newest rows to show; default ${ROWS_SHOWN}`, {
      least: 0,
      most: PAGE_LIMIT_MAX,
    }),
  },
  run: async ({ operator, values: { rows }, argument: feed }) =>
    reviewAnswer(operator, await reviewFeed(operator, { feed_id: feed, rows })),
});

export const FEED_COMMANDS = [
  feedList,
  feedPublish,
  feedUnpublish,
  feedDecline,
  feedSuspend,
  feedResume,
  feedDelete,
  feedShow,
];

function listedAnswer({ limits }: Operator, rows: readonly FeedRow[]): Answer {
  return {
    json: `[${rows.map((row) => feedRowText(row, limits)).join(",")}]`,
    text: table(rows, FEED_COLUMNS),
  };
}

function reviewAnswer(operator: Operator, review: FeedReview): Answer {
  const { row, rowCount, newestRows, pushes } = review;
  const pushTable = table(pushes, PUSH_COLUMNS);
  return {
    json: feedReviewText(review, operator),
    text: (columns) =>
      [
        fields(reviewFields(review)),
        block("schema", row.schema_definition),
        block("sample", row.sample_response),
        ...(newestRows.length > 0
          ? [`newest rows (${newestRows.length} of ${rowCount}):`, ...newestRows.map(rowLine), ""]
          : []),
        ...(pushes.length > 0 ? ["newest pushes:", pushTable(columns)] : []),
      ].join("\n"),
  };
}

/** Asks for confirmation, and names what will be deleted. */
function loss(review: FeedReview): string {
  const { endpoint_path: slug, name, account_name: owner } = review.row;
  return `Permanently delete the feed ${slug} (${name}) of ${owner}, with ${heldText(review)}?`;
}

/** A titled block of the provider's JSON, one member per line. */
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

const FEED_COLUMNS: Columns<FeedRow> = {
  ID: (row) => row.feed_id,
  SLUG: { whole: (row) => row.endpoint_path },
  TYPE: (row) => row.feed_type,
  STATUS: (row) => (row.suspension_reason === null ? row.status : "suspended"),
  LISTED: (row) => (row.is_public ? "yes" : row.review === "none" ? "no" : row.review),
  PRICE: pricingText,
  ACCESS: accessText,
  "LAST SYNC": (row) => row.last_sync_at,
  OWNER: (row) => row.account_name,
};

const PUSH_COLUMNS: Columns<Row<"list_pushes">> = {
  "PUSHED AT": (push) => push.pushed_at,
  OUTCOME: { whole: (push) => (push.stored ? "stored" : push.code) },
  ROWS: (push) => push.rows_received,
  NEW: (push) => push.rows_inserted,
  UPDATED: (push) => push.rows_updated,
  DUPLICATE: (push) => push.rows_duplicate,
  REASON: (push) => (push.stored ? "" : push.detail),
  BYTES: (push) => push.body_bytes,
  MS: (push) => push.duration_ms,
};

function reviewFields({ row, rowCount, payloadBytes, rowsLeft }: FeedReview) {
  const { reliability_score: score, retention_days: days } = row;
  const review = reviewOf(row);
  return {
    feed: row.feed_id,
    slug: row.endpoint_path ?? (row.former_path && `none, was ${row.former_path}`),
    name: row.name,
    description: row.description,
    category: row.category,
    type: row.feed_type,
    state: stateOf(row, rowsLeft),
    listed: row.is_public ? "yes" : "no",
    review: review === "declined" ? `declined: ${row.review_reason}` : review,
    price: pricingText(row),
    access: accessText(row),
    owner: `${row.account_id} (${row.account_name})`,
    contents: heldText({ rowCount, payloadBytes }),
    reliability: score === null ? "unrated" : `${score}%`,
    "last sync": row.last_sync_at,
    interval: `${row.sync_interval_mins} minutes`,
    schema: row.schema_definition === null ? "none" : row.schema_locked ? "locked" : "not locked",
    created: row.created_at,
    updated: row.updated_at,
    retention: days === null ? undefined : `${days} days`,
  };
}

/** The feed's access as readable text. */
function accessText({ access }: FeedRow): string {
  return access.replaceAll("_", " ");
}

/** The feed's state. Deletion and suspension take precedence over the status that the provider has set. */
function stateOf(row: FeedRow, rowsLeft: bigint): string {
  if (row.deleted_at !== null) {
    const removal =
      row.emptied_at === null
        ? `${rowsText(rowsLeft)} left to remove`
        : `emptied ${row.emptied_at}`;
    return `deleted ${row.deleted_at}, ${removal}`;
  }
  return row.suspension_reason === null
    ? row.status
    : `suspended: ${row.suspension_reason} (status set by the provider: ${row.status})`;
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
