/**
 * A page: the answer to a plan but for its `_origin`, at one data version.
 *
 * PostgreSQL puts the rows together as text, and the text goes out as it is, unless a projection asks
 * for a part of it. Decisions 6.
 *
 * @module
 */

import type { Feed } from "../../feeds/find.ts";
import { Problem, unavailable } from "../../http/errors.ts";
import { weakTag } from "../../http/etag.ts";
import { MS_PER_DAY } from "../../lib/time_units.ts";
import { FILTER_WALK_BYTES, RETIRED_BATCH_GRACE } from "../../limits.ts";
import type { Reader } from "../../postgres/replica/reader.ts";
import { writeCursor } from "./cursor.ts";
import type { FilterIndexer } from "./filter_index.ts";
import type { Projections } from "./projections.ts";
import { type DetailsPlan, listedIds, type PagePlan, type ReadPlan } from "./read_plan.ts";

export interface Page {
  /** Of the feed, when the page was read. */
  readonly dataVersion: bigint;
  /** The entity tag: of feed, data version and normalized query. Decisions 6. */
  readonly tag: string;
  /** The answer's text up to `_origin`, without the closing brace: `{"data":…,`. */
  readonly text: string;
  /** Characters of `data` in it. */
  readonly dataLength: number;
  readonly nextCursor: string | null;
  /** False for a page of a retired batch, which expires with time rather than with a version. */
  readonly isCacheable: boolean;
  /** When an event on it becomes too old to be read, in Unix epoch milliseconds. */
  readonly expiresMs: number;
}

export interface PageSource {
  readonly reader: Reader;
  readonly cursorSecret: string;
  readonly incarnation: string;
  readonly filterIndexer: Pick<FilterIndexer, "noteUnindexed">;
  readonly projections: Projections;
}

/** What to read, and the data version that it must at least have. */
interface Wanted<Plan> {
  readonly plan: Plan;
  readonly atLeast: bigint;
  /** On whose behalf: in its turn the page is read, and a large projection made. */
  readonly accountId: string;
}

interface Rows {
  readonly dataVersion: bigint;
  readonly data: string;
  readonly hasMore: boolean;
  readonly nextCursor: string | null;
  readonly isCacheable: boolean;
  readonly expiresMs?: number;
}

/** Which rows of the feed a page has, as it tells. */
interface Extent {
  readonly limit: number;
  readonly offset: number;
}

/**
 * The page at the data version `atLeast` or a newer one; undefined if the feed has gone meanwhile.
 * @throws {Problem} 410 `CURSOR_EXPIRED`; 400 `JSONPATH_INVALID` where the projection grows too large.
 */
export async function buildPage(
  source: PageSource,
  feed: Feed,
  { plan, atLeast, accountId }: Wanted<ReadPlan>,
): Promise<Page | undefined> {
  const { projection } = plan;
  const project = (data: string) =>
    projection === undefined ? data : source.projections.apply({ projection, data, accountId });
  const tagAt = (dataVersion: bigint) => tagOf(feed, { plan, dataVersion }, source.incarnation);
  const finish = async (rows: Rows, extent: Extent) => {
    const data = await project(rows.data);
    return pageOf(rows, { data, tag: tagAt(rows.dataVersion) }, extent);
  };
  switch (plan.kind) {
    case "document": {
      const row = await source.reader.row(accountId, "read_document", [feed.feedId], isAt(atLeast));
      if (row === undefined) return undefined;
      const data = await project(row.data);
      const text = `{"data":${data},`;
      const tag = tagAt(row.data_version);
      return {
        dataVersion: row.data_version,
        tag,
        text,
        dataLength: data.length,
        nextCursor: null,
        isCacheable: true,
        expiresMs: Number.POSITIVE_INFINITY,
      };
    }
    case "details": {
      const read = (ids: readonly string[]) =>
        readDetails(source, feed, { plan: { ...plan, ids }, atLeast, accountId });
      let { ids } = plan;
      let rows = await read(ids);
      const listed = rows?.data === "[]" ? listedIds(ids) : undefined;
      if (listed !== undefined) {
        ids = listed;
        rows = await read(ids);
      }
      return rows && finish(rows, { limit: ids.length, offset: 0 });
    }
    case "page": {
      const rows =
        plan.source === "collection"
          ? await readCollection(source, feed, { plan, atLeast, accountId })
          : await readStream(source, feed, { plan, atLeast, accountId });
      return rows && finish(rows, plan);
    }
  }
}

/** Whether what was read is new enough. A feed that is not there may only have come later. */
function isAt(atLeast: bigint) {
  return (row: { readonly data_version: bigint } | undefined) =>
    row !== undefined && row.data_version >= atLeast;
}

function pageOf(
  { dataVersion, hasMore, nextCursor, isCacheable, expiresMs = Number.POSITIVE_INFINITY }: Rows,
  { data, tag }: { readonly data: string; readonly tag: string },
  extent: Extent,
): Page {
  const text = `{"data":${data},"limit":${extent.limit},"offset":${extent.offset},"has_more":${hasMore},"next_cursor":${JSON.stringify(nextCursor)},`;
  return { dataVersion, tag, text, dataLength: data.length, nextCursor, isCacheable, expiresMs };
}

/**
 * The feed is in it: a slug may change hands, and data versions begin anew with each feed. So is the
 * incarnation: in a database of an earlier moment, versions that were told before come again.
 */
export function tagOf(
  { feedId }: Feed,
  { plan, dataVersion }: { readonly plan: ReadPlan; readonly dataVersion: bigint },
  incarnation: string,
): string {
  return weakTag(`${feedId} ${dataVersion} ${plan.key}${incarnation}`);
}

async function readCollection(
  { reader, cursorSecret, filterIndexer }: PageSource,
  feed: Feed,
  { plan, atLeast, accountId }: Wanted<PagePlan>,
): Promise<Rows | undefined> {
  const cursor = plan.cursor?.kind === "collection" ? plan.cursor : undefined;
  const row = await reader.row(
    accountId,
    "read_collection_page",
    [
      feed.feedId,
      cursor?.batchNumber ?? null,
      cursor?.position ?? 0n,
      BigInt(plan.offset),
      plan.limit,
      ...filterParameters(plan),
      RETIRED_BATCH_GRACE,
      FILTER_WALK_BYTES,
    ],
    // A batch that can't be read may be one that the replica has not heard of yet.
    (found) => isAt(atLeast)(found) && found?.is_readable === true,
  );
  if (row === undefined) return undefined;
  const { batch_number: batchNumber, last_position: position } = row;
  if (row.is_readable !== true) {
    throw new Problem("CURSOR_EXPIRED", {
      detail:
        "The batch that this cursor walks has been replaced and removed. Begin again without a cursor.",
    });
  }
  if (batchNumber !== null) {
    filterIndexer.noteUnindexed({ feedId: feed.feedId, batchNumber }, row);
  }
  if (row.is_refused) throw indexLags();
  const hasNext = row.has_more && batchNumber !== null && position !== null;
  return {
    dataVersion: row.data_version,
    data: `[${row.data ?? ""}]`,
    hasMore: row.has_more,
    nextCursor: hasNext
      ? writeCursor(
          { kind: "collection", batchNumber, position },
          { secret: cursorSecret, binding: plan.binding },
        )
      : null,
    isCacheable: row.is_current === true,
  };
}

async function readStream(
  { reader, cursorSecret, filterIndexer }: PageSource,
  feed: Feed,
  { plan, atLeast, accountId }: Wanted<PagePlan>,
): Promise<Rows | undefined> {
  const cursor = plan.cursor?.kind === "stream" ? plan.cursor : undefined;
  const row = await reader.row(
    accountId,
    "read_stream_page",
    [
      feed.feedId,
      cursor?.eventAt ?? null,
      cursor?.position ?? null,
      plan.startTime ?? null,
      plan.endTime ?? null,
      BigInt(plan.offset),
      plan.limit,
      ...filterParameters(plan),
      FILTER_WALK_BYTES,
    ],
    isAt(atLeast),
  );
  if (row === undefined) return undefined;
  filterIndexer.noteUnindexed({ feedId: feed.feedId, batchNumber: 0n }, row);
  if (row.is_refused) throw indexLags();
  const { last_event_at: eventAt, last_position: position } = row;
  const hasNext = row.has_more && eventAt !== null && position !== null;
  const { retentionDays } = feed;
  return {
    ...(retentionDays !== null &&
      eventAt !== null && { expiresMs: Date.parse(eventAt) + retentionDays * MS_PER_DAY }),
    dataVersion: row.data_version,
    data: `[${row.data ?? ""}]`,
    hasMore: row.has_more,
    nextCursor: hasNext
      ? writeCursor(
          { kind: "stream", eventAt, position },
          { secret: cursorSecret, binding: plan.binding },
        )
      : null,
    isCacheable: true,
  };
}

/** 503: rows are indexed behind the push, and too many of them still wait for that. */
function indexLags(): Problem {
  return unavailable(
    "So much was pushed to this feed that its filter index is behind. Try the filter again in a few seconds, or read without it.",
  );
}

async function readDetails(
  { reader }: PageSource,
  feed: Feed,
  { plan, atLeast, accountId }: Wanted<DetailsPlan>,
): Promise<Rows | undefined> {
  // No id holds a NUL, and PostgreSQL takes none in a parameter.
  const ids = plan.ids.filter((id) => !id.includes("\0"));
  const statement = plan.source === "collection" ? "read_collection_rows" : "read_stream_rows";
  const row = await reader.row(accountId, statement, [feed.feedId, ids], isAt(atLeast));
  return (
    row && {
      dataVersion: row.data_version,
      data: `[${row.data ?? ""}]`,
      hasMore: false,
      nextCursor: null,
      isCacheable: feed.retentionDays === null,
    }
  );
}

function filterParameters({ filters }: PagePlan) {
  return [
    filters.map(({ name }) => name),
    filters.map(({ text }) => text),
    filters.map(({ literal }) => literal),
  ] as const;
}
