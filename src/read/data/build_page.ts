/**
 * Builds a page: the answer to a plan, except for its `_origin`, at one data version.
 *
 * PostgreSQL joins the rows as text, and the text is sent unchanged, unless a projection selects a part of it. See
 * `src/spec/decisions.md`, section 6.
 *
 * @module
 */

import { expiryOf } from "../../feeds/event_expiry.ts";
import type { Feed } from "../../feeds/find.ts";
import { weakTag } from "../../http/etag.ts";
import { Problem, unavailable } from "../../http/problem_details.ts";
import {
  FILTER_NAMES_LISTED_MAX,
  FILTER_NAMES_UNINDEXED_MAX,
  FILTER_WALK_BYTES,
  FILTER_WHOLE_BYTES,
  RETIRED_BATCH_GRACE,
} from "../../limits.ts";
import type { Reader } from "../../postgres/replica/reader.ts";
import { refuseEmptyRows } from "../pipeline/field_names.ts";
import { unprojected } from "../projection/projection.ts";
import type { Projections } from "../projection/turns.ts";
import { type Cursor, writeCursor } from "./cursor.ts";
import { refuseAbsentField } from "./filter_fields.ts";
import type { FilterTarget, NoteUnindexed, Unindexed } from "./filter_index.ts";
import { type DetailsPlan, listedIds, type PagePlan, type ReadPlan } from "./read_plan.ts";

/** The start of a page's text. */
export const BEFORE_DATA = '{"data":';

export interface Page {
  /** Its key in memory. */
  readonly key: string;
  /** The feed's version when the page was read. */
  readonly dataVersion: bigint;
  /** The entity tag of the whole page, from feed, data version, normalized query, and `variant`. */
  readonly tag: string;
  /**
   * Distinguishes pages of the same version, because rows of a stream with retention disappear between two versions.
   * Empty for other feeds.
   */
  readonly variant: string;
  /** The answer's text up to `_origin`, without the closing brace: `{"data":…,`. */
  readonly text: string;
  /** Number of characters of `data` in it. */
  readonly dataLength: number;
  /** The requested ids that the feed does not contain. */
  readonly missing: readonly string[];
  /** The fields requested by a tool that no row contains. */
  readonly fieldsNotFound: readonly string[];
  readonly nextCursor: string | null;
  /** Until when the page may be served from memory, in Unix epoch milliseconds. 0 means not at all. */
  readonly expiresMs: number;
}

/**
 * The key of a page in memory. Retention and the names that a schema has decide what a page is, so a page that was built
 * by another definition of the feed, perhaps an old one, is not taken.
 */
export function pageKeyOf({
  feed,
  plan,
}: {
  readonly feed: Feed;
  readonly plan: ReadPlan;
}): string {
  return `${feed.definitionVersion} ${plan.key}`;
}

export interface PageSource {
  readonly reader: Reader;
  readonly incarnation: string;
  readonly noteUnindexed: NoteUnindexed;
  readonly projections: Projections;
}

/** Input for building a page. */
interface Build {
  readonly source: PageSource;
  readonly feed: Feed;
  /** The oldest acceptable data version. */
  readonly atLeast: bigint;
  /** The account in whose turn the page is read, and a large projection made. */
  readonly accountId: string;
}

/** A page before its projection. */
interface Rows extends Pick<Page, "dataVersion" | "nextCursor" | "expiresMs"> {
  readonly missing?: readonly string[];
  readonly variant?: string;
  readonly data: string;
  /** The answer's members other than `data` and `_origin`, each followed by a comma. */
  readonly members: string;
}

/**
 * The page at the data version `atLeast` or a newer one. Undefined if the feed has been removed since.
 * @throws {Problem} 410 `CURSOR_EXPIRED`; 400 `JSONPATH_INVALID` if the projection grows too large.
 */
export async function buildPage(build: Build, plan: ReadPlan): Promise<Page | undefined> {
  const { source, accountId } = build;
  const { reader, projections } = source;
  const rows = await readRows(build, plan);
  if (rows === undefined) return undefined;
  const { data: whole, members, missing = [], variant = "", ...page } = rows;
  const { projection } = plan;
  const projected =
    projection === undefined
      ? unprojected(whole)
      : await projections.apply({ projection, data: whole, accountId });
  if (plan.kind !== "page" || (plan.cursor === undefined && !plan.isShortened)) {
    await refuseEmptyRows({ reader, accountId, feedId: build.feed.feedId }, projected);
  }
  const { text: data, fieldsNotFound } = projected;
  return {
    ...page,
    key: pageKeyOf({ feed: build.feed, plan }),
    missing,
    variant,
    fieldsNotFound,
    tag: tagOf(plan.key + variant, rows.dataVersion, source.incarnation),
    text: `${BEFORE_DATA}${data},${members}`,
    dataLength: data.length,
  };
}

/**
 * `query` is the normalized query. It includes the feed, because a slug may be reused and each feed's data versions
 * start again. The incarnation is part of the tag, because a database that was restored from a backup assigns the same
 * versions to other data.
 */
export function tagOf(query: string, dataVersion: bigint, incarnation: string): string {
  return weakTag(`${dataVersion} ${query}${incarnation}`);
}

function readRows(build: Build, plan: ReadPlan): Promise<Rows | undefined> {
  if (plan.kind === "document") return readDocument(build);
  if (plan.kind === "details") return readDetails(build, plan);
  return plan.source === "collection" ? readCollection(build, plan) : readStream(build, plan);
}

async function readDocument({
  source,
  feed,
  atLeast,
  accountId,
}: Build): Promise<Rows | undefined> {
  const row = await source.reader.row(
    accountId,
    "read_document",
    { feed_id: feed.feedId },
    isAt(atLeast),
  );
  if (row === undefined) return undefined;
  const { data_version: dataVersion, data } = row;
  return { dataVersion, data, members: "", nextCursor: null, expiresMs: Number.POSITIVE_INFINITY };
}

async function readDetails(
  { source, feed, atLeast, accountId }: Build,
  plan: DetailsPlan,
): Promise<Rows | undefined> {
  const statement = plan.source === "collection" ? "read_collection_rows" : "read_stream_rows";
  const read = (ids: readonly string[]) => {
    // No id contains a NUL, and PostgreSQL accepts none in a parameter.
    const sent = ids.filter((id) => !id.includes("\0"));
    return source.reader.row(
      accountId,
      statement,
      { feed_id: feed.feedId, row_ids: sent },
      isAt(atLeast),
    );
  };
  const row = await read(plan.ids);
  const listed = row?.data === null ? listedIds(plan.ids) : undefined;
  const found = listed === undefined ? row : await read(listed);
  if (found === undefined) return undefined;
  const asked = listed ?? plan.ids;
  const missing = new Set<unknown>(JSON.parse(found.missing));
  return {
    ...listOf(found, { limit: asked.length, offset: 0, nextCursor: null }),
    missing: asked.filter((id) => missing.has(id) || id.includes("\0")),
    ...(feed.retentionDays === null
      ? { expiresMs: Number.POSITIVE_INFINITY }
      : { expiresMs: 0, variant: found.missing }),
  };
}

async function readCollection(build: Build, plan: PagePlan): Promise<Rows | undefined> {
  const { source, feed, atLeast, accountId } = build;
  const cursor = plan.cursor?.kind === "collection" ? plan.cursor : undefined;
  const row = await source.reader.row(
    accountId,
    "read_collection_page",
    {
      feed_id: feed.feedId,
      batch_number: cursor?.batchNumber ?? null,
      after_position: cursor?.position ?? 0n,
      offset: BigInt(plan.offset),
      limit: plan.limit,
      ...filterParameters(plan),
      grace: RETIRED_BATCH_GRACE,
    },
    // If a batch can't be read, the replica may not have it yet.
    (found) => isAt(atLeast)(found) && found?.is_readable === true,
  );
  if (row === undefined) return undefined;
  const { batch_number: batchNumber, last_position: position } = row;
  if (row.is_readable !== true || batchNumber === null) {
    throw new Problem("CURSOR_EXPIRED", {
      detail:
        "The batch of this cursor has been replaced and removed. Start again without a cursor.",
    });
  }
  const last =
    position === null ? undefined : ({ kind: "collection", batchNumber, position } as const);
  return {
    ...(await pageOf(build, plan, { row, batchNumber, last })),
    // A page of a retired batch expires by time, not by a version.
    expiresMs: row.is_current === true ? Number.POSITIVE_INFINITY : 0,
  };
}

async function readStream(build: Build, plan: PagePlan): Promise<Rows | undefined> {
  const { source, feed, atLeast, accountId } = build;
  const cursor = plan.cursor?.kind === "stream" ? plan.cursor : undefined;
  const row = await source.reader.row(
    accountId,
    "read_stream_page",
    {
      feed_id: feed.feedId,
      before_event_at: cursor?.eventAt ?? null,
      before_position: cursor?.position ?? null,
      start_time: plan.startTime ?? null,
      end_time: plan.endTime ?? null,
      offset: BigInt(plan.offset),
      limit: plan.limit,
      ...filterParameters(plan),
    },
    isAt(atLeast),
  );
  if (row === undefined) return undefined;
  const { last_event_at: eventAt, last_position: position, oldest_event_at: oldest } = row;
  const last =
    eventAt === null || position === null
      ? undefined
      : ({ kind: "stream", eventAt, position } as const);
  const page = await pageOf(build, plan, { row, batchNumber: 0n, last });
  // The oldest event may be the one that shows that there is more.
  const expiresMs = expiryOf(feed.retentionDays, oldest);
  return feed.retentionDays === null
    ? { ...page, expiresMs }
    : { ...page, expiresMs, variant: ` until ${expiresMs}` };
}

/** The rows of a page in their final form, after its filters are checked. @throws {Problem} 400, 503 */
async function pageOf(
  build: Build,
  plan: PagePlan,
  read: {
    readonly row: ListedRows & Unindexed & { readonly has_more: boolean };
    readonly batchNumber: bigint;
    /** Where the page ends. Undefined if it is empty. */
    readonly last: Cursor | undefined;
  },
) {
  const { row, batchNumber, last } = read;
  noteIndex(build.source, { feedId: build.feed.feedId, batchNumber }, row);
  // A walk that has begun goes to its end, although the last row with the field was removed since.
  if (row.data === null && plan.cursor === undefined) {
    await checkFields(build, { plan, batchNumber, version: row.data_version });
  }
  const nextCursor = row.has_more && last !== undefined ? writeCursor(last, plan.scope) : null;
  return listOf(row, { ...plan, nextCursor });
}

/** Called when filters found nothing, perhaps because no row contains a field of that name. @throws {Problem} 400 */
async function checkFields(
  { source, feed, accountId }: Build,
  of: { readonly plan: PagePlan; readonly batchNumber: bigint; readonly version: bigint },
): Promise<void> {
  const { plan, batchNumber, version } = of;
  // With a locked schema, the names were already checked against it, or it leaves them open on purpose.
  if (feed.lockedSchema !== null) return;
  // A filter that no stored text can match no longer has its name.
  const names = plan.filters.flatMap(({ name, text }) => (text === null ? [] : [name]));
  if (names.length === 0) return;
  const row = await source.reader.row(
    accountId,
    "find_absent_field",
    {
      feed_id: feed.feedId,
      batch_number: batchNumber,
      names,
      work_max: FILTER_WHOLE_BYTES,
      unindexed_max: FILTER_NAMES_UNINDEXED_MAX,
      names_max: FILTER_NAMES_LISTED_MAX,
    },
    isAt(version),
  );
  if (row === undefined || row.absent === null) return;
  const present: readonly string[] = JSON.parse(row.present ?? "[]");
  refuseAbsentField({ name: row.absent, present, schema: row.schema_definition });
}

/** Returns a test for whether a result is new enough. If the feed is missing, the replica may not have it yet. */
function isAt(atLeast: bigint) {
  return (row: { readonly data_version: bigint } | undefined) =>
    row !== undefined && row.data_version >= atLeast;
}

function filterParameters({ filters }: PagePlan) {
  return {
    names: filters.map(({ name }) => name),
    texts: filters.map(({ text }) => text),
    literals: filters.map(({ literal }) => literal),
    work_max: FILTER_WALK_BYTES,
    whole_max: FILTER_WHOLE_BYTES,
  };
}

/** @throws {Problem} 503 if too many rows are not indexed yet. Rows are indexed after the push, in the background. */
function noteIndex({ noteUnindexed }: PageSource, target: FilterTarget, row: Unindexed): void {
  noteUnindexed(target, row);
  if (!row.is_refused) return;
  throw unavailable(
    "The feed's filter index has not caught up with recent pushes. Retry with the filter in a few seconds, or read without it.",
  );
}

/** The columns of a statement that lists rows. */
interface ListedRows {
  readonly data_version: bigint;
  /** JSON texts separated by commas. Null if there are no rows. */
  readonly data: string | null;
}

/** Rows in the answer's format. */
function listOf(
  row: ListedRows,
  of: { readonly limit: number; readonly offset: number; readonly nextCursor: string | null },
) {
  const { limit, offset, nextCursor } = of;
  return {
    dataVersion: row.data_version,
    data: `[${row.data ?? ""}]`,
    members: `"limit":${limit},"offset":${offset},"has_more":${nextCursor !== null},"next_cursor":${JSON.stringify(nextCursor)},`,
    nextCursor,
  };
}
