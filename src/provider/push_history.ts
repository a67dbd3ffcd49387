/**
 * The history of a feed's pushes. Rate-limited pushes within a minute are one entry, whose `detail` gives their
 * approximate number.
 *
 * @module
 */
import { type Static, Type } from "@sinclair/typebox";
import { feedForbidden } from "../api/problems/feed_problems.ts";
import { findOwned } from "../feeds/find.ts";
import { Problem } from "../http/problem_details.ts";
import { openToken, sealToken, type TokenOptions } from "../lib/sealed_token.ts";
import { nullable, oneOf } from "../lib/typebox.ts";
import { PAGE_LIMIT_MAX, PUSH_HISTORY } from "../limits.ts";
import type { Row } from "../postgres/client/database.ts";
import type { Services } from "../services.ts";
import { count, nextCursor, time } from "../shapes.ts";

const PushShape = Type.Object(
  {
    push_id: count("The push; ids increase with time."),
    pushed_at: time(
      "When it was stored or refused; for pushes refused by the rate limit, the first of them.",
    ),
    outcome: oneOf(["stored", "refused"], { description: "The outcome." }),
    code: nullable(Type.String({ description: "Of the problem; null if the push was stored." })),
    detail: nullable(Type.String({ description: "Of the problem; null if the push was stored." })),
    rows_received: count("Rows in the request; 0 if they could not be read."),
    rows_inserted: count("New rows."),
    rows_updated: count("Rows that replaced a row with the same id."),
    rows_duplicate: count("Rows that already existed."),
    bytes: count("Size of the decoded body; 0 if it was not received."),
    ms: count("Milliseconds from request to response."),
    batch_id: nullable(Type.String({ description: "As given." })),
  },
  { $id: "HistoricPush", description: "A push and its outcome." },
);

export const PushesShape = Type.Object(
  {
    pushes: Type.Array(PushShape, { description: "Newest first." }),
    limit: Type.Integer({
      minimum: 1,
      maximum: PAGE_LIMIT_MAX,
      description: "The page size that was applied.",
    }),
    has_more: Type.Boolean({ description: "Whether there are older entries." }),
    next_cursor: nextCursor,
  },
  { $id: "HistoricPushes", description: "A page of a feed's push history." },
);

interface PushesQuery {
  readonly accountId: string;
  /** The feed's id or slug. */
  readonly reference: string;
  readonly limit: number;
  /** `next_cursor` of the previous page. */
  readonly cursor: string | undefined;
}

interface PushesPage {
  readonly feedId: string;
  readonly body: Static<typeof PushesShape>;
}

/** Newest first. @throws {Problem} 400 for a cursor of another feed, 403 */
export async function listPushes(
  { database, storedFeeds, cursorSecret: secret }: Services,
  { accountId, reference, limit, cursor }: PushesQuery,
): Promise<PushesPage> {
  const feed = await findOwned(storedFeeds, accountId, reference);
  if (feed === undefined) throw feedForbidden();
  const { feedId } = feed;
  const scope = { secret, purpose: "push history cursor", binding: feedId };
  // One row more than the page shows whether there is a next page.
  const found = await database.onBehalfOf(accountId).rows("list_pushes", {
    feed_id: feedId,
    kept: PUSH_HISTORY,
    ...positionOf(cursor, scope),
    limit: limit + 1,
  });
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  const next = last === undefined || found.length <= limit ? null : cursorOf(last, scope);
  const pushes = rows.map(entryOf);
  return { feedId, body: { pushes, limit, has_more: next !== null, next_cursor: next } };
}

function entryOf(row: Row<"list_pushes">) {
  const { detail, times } = row;
  return {
    push_id: Number(row.push_id),
    pushed_at: row.pushed_at,
    outcome: row.stored ? ("stored" as const) : ("refused" as const),
    code: row.code,
    detail:
      times > 1
        ? `${detail} At least ${times} pushes were refused for this reason in the same minute.`
        : detail,
    rows_received: row.rows_received,
    rows_inserted: row.rows_inserted,
    rows_updated: row.rows_updated,
    rows_duplicate: row.rows_duplicate,
    bytes: Number(row.body_bytes),
    ms: row.duration_ms,
    batch_id: row.batch_id,
  };
}

function cursorOf(row: Row<"list_pushes">, scope: TokenOptions): string {
  return sealToken(Buffer.from(`${row.push_id} ${row.pushed_at}`, "utf8"), scope);
}

/** The position where the page begins. @throws {Problem} 400 for a cursor of another feed */
function positionOf(cursor: string | undefined, scope: TokenOptions) {
  if (cursor === undefined) return { before_push_id: null, before_pushed_at: null };
  const opened = openToken(cursor, scope)?.toString("utf8");
  if (opened === undefined) {
    throw new Problem("CURSOR_INVALID", {
      detail: "This cursor was not issued for this feed's pushes. Start again without it.",
    });
  }
  const [pushId = "", pushedAt = ""] = opened.split(" ");
  return { before_push_id: BigInt(pushId), before_pushed_at: pushedAt };
}
