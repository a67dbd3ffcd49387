/**
 * Decides what a data read returns, from its query: pure, and before anything is charged.
 *
 * Takes a query that the route's schema has accepted, then the feed, and returns a `ReadPlan` or throws a 400. A
 * mistake that does not depend on the feed is reported before a missing feed. See `src/spec/decisions.md`, section 6.
 *
 * @module
 */
import { type StaticDecode, Type } from "@sinclair/typebox";
import { distinctIds, idsParameter, readIds } from "../../api/input/ids.ts";
import { cappedLimit } from "../../api/input/paging.ts";
import { invalidParameter, queryInteger, queryTime } from "../../api/input/parameters.ts";
import type { Feed, FeedType } from "../../feeds/find.ts";
import { Problem } from "../../http/problem_details.ts";
import { FILTERS_MAX, IDS_MAX, PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from "../../limits.ts";
import {
  keepingFields,
  namesFieldOfData,
  type Projection,
  parseProjection,
} from "../projection/projection_parse.ts";
import { type Cursor, type CursorScope, readCursor } from "./cursor.ts";
import { refuseUnknownFields } from "./filter_fields.ts";
import { type Filter, filterParameter, readFilter } from "./filters.ts";

const READ_PARAMETERS = {
  limit: Type.Optional(
    queryInteger({
      minimum: 1,
      description: `Rows per page, at most ${PAGE_LIMIT_MAX}. Default ${PAGE_LIMIT_DEFAULT}.`,
      examples: [2],
    }),
  ),
  offset: Type.Optional(
    queryInteger({ minimum: 0, description: "Rows to skip; a cursor is faster. Default 0." }),
  ),
  cursor: Type.Optional(
    Type.String({ description: "next_cursor of the previous page; not for singletons." }),
  ),
  jsonpath: Type.Optional(
    Type.String({ description: "Projection of data, such as $[*].name; no filter expressions." }),
  ),
  ids: Type.Optional(
    idsParameter({
      description: `Up to ${IDS_MAX} record ids, comma-separated, or ids repeated: returns their full payloads (details mode). Encode a comma in an id as %2C.`,
    }),
  ),
  start_time: Type.Optional(
    queryTime({ bound: "lower", description: "Streams: inclusive lower bound." }),
  ),
  end_time: Type.Optional(
    queryTime({ bound: "upper", description: "Streams: inclusive upper bound." }),
  ),
};
const KNOWN = Object.keys(READ_PARAMETERS);

/** The query of a data read. Every other parameter is a filter. */
export const READ_QUERY = Type.Optional(
  Type.Object(READ_PARAMETERS, { additionalProperties: filterParameter(KNOWN) }),
);
export type ReadQuery = StaticDecode<typeof READ_QUERY>;

/** A query that is valid for any feed. */
interface AskedRead {
  readonly query: ReadQuery;
  readonly filters: readonly Filter[];
  readonly projection: Projection | undefined;
  /** Distinct, in request order. Undefined if none are requested. */
  readonly ids: readonly string[] | undefined;
}

/** Types of feeds that contain rows. */
type RowsType = Exclude<FeedType, "singleton">;

interface Planned {
  readonly projection: Projection | undefined;
  /** The feed and the query in a canonical form. Reads with the same key get the same page. */
  readonly key: string;
}

/** The one document of a singleton. */
interface DocumentPlan extends Planned {
  readonly kind: "document";
}

/** Rows by id, all on one page. */
export interface DetailsPlan extends Planned {
  readonly kind: "details";
  readonly source: RowsType;
  readonly ids: readonly string[];
}

/** One page of rows. */
export interface PagePlan extends Planned {
  readonly kind: "page";
  readonly source: RowsType;
  readonly limit: number;
  readonly offset: number;
  readonly cursor: Cursor | undefined;
  readonly filters: readonly Filter[];
  /** RFC 3339 in UTC, to the microsecond; inclusive. */
  readonly startTime: string | undefined;
  readonly endTime: string | undefined;
  /** The scope of this query's cursors. */
  readonly scope: CursorScope;
  /** Whether it has fewer rows than were requested, so that its data is no longer than requested. */
  readonly isShortened: boolean;
}

export type ReadPlan = DocumentPlan | DetailsPlan | PagePlan;

const ROWS_ONLY = ["cursor", "ids"] as const;
const STREAM_ONLY = ["start_time", "end_time"] as const;
const NOT_WITH_IDS = ["limit", "offset", "cursor", ...STREAM_ONLY] as const;

/**
 * Reads a query that the route's schema has accepted. `search` is the raw query string.
 * @throws {Problem} 400 for mistakes that do not depend on the feed
 */
export function parseReadQuery(query: ReadQuery, search: string): AskedRead {
  const asked = Object.entries(query)
    .filter(([name]) => !Object.hasOwn(READ_PARAMETERS, name))
    .flatMap(([name, values]) => [values].flat().map((value) => [name, String(value)] as const));
  if (asked.length > FILTERS_MAX) {
    throw invalidParameter(
      `At most ${FILTERS_MAX} filters are allowed, got ${asked.length}. Remove some.`,
    );
  }
  const filters = asked.map(([name, value]) => readFilter(name, value));
  const { cursor, offset, start_time: startTime, end_time: endTime } = query;
  const ids = query.ids === undefined ? undefined : readOnlyIds(query, search, filters);
  if (cursor !== undefined && offset !== undefined) {
    throw invalidParameter("offset can't be combined with cursor. Leave out the offset.", "offset");
  }
  if (startTime !== undefined && endTime !== undefined && startTime > endTime) {
    throw invalidParameter("start_time is after end_time. Swap them.", "start_time");
  }
  return { query, filters, projection: readProjection(query.jsonpath), ids };
}

/** @throws {Problem} 400 if the query is not valid for this feed. */
export function planRead(asked: AskedRead, feed: Feed, cursorSecret: string): ReadPlan {
  const { filters, projection, ids } = asked;
  const source: FeedType = feed.feedType ?? "singleton";
  refuseUseless(source, asked);
  // A walk that has begun can be completed, even if the schema has changed since.
  if (asked.query.cursor === undefined) refuseUnknownFields(feed, filters);
  const { feedId } = feed;
  const projected = projection?.key ?? "";
  if (source === "singleton") {
    return { kind: "document", projection, key: `${feedId} document ${projected}` };
  }
  if (projection !== undefined && namesFieldOfData(projection)) {
    throw new Problem("JSONPATH_INVALID", {
      detail: "data is an array; begin with $[*].",
    });
  }
  if (ids !== undefined) {
    return {
      kind: "details",
      source,
      ids,
      projection,
      key: `${feedId} details ${JSON.stringify(ids)} ${projected}`,
    };
  }
  return planPage(asked, feed, { source, secret: cursorSecret });
}

/** A parameter that does not apply to the feed's type is refused, not ignored. */
function refuseUseless(source: FeedType, { query, filters }: AskedRead): void {
  const ofStreams = STREAM_ONLY.find((name) => query[name] !== undefined);
  if (source !== "stream" && ofStreams !== undefined) {
    throw invalidParameter(
      `${ofStreams} applies only to streams, and this feed is a ${source}. Leave it out.`,
      ofStreams,
    );
  }
  if (source !== "singleton") return;
  const ofRows = ROWS_ONLY.find((name) => query[name] !== undefined);
  if (ofRows !== undefined) {
    throw invalidParameter((words) => words.noRows(ofRows), ofRows);
  }
  if (filters.length > 0) {
    throw invalidParameter(
      "A singleton has no rows to filter. Use jsonpath to select parts of it.",
    );
  }
}

function readProjection(jsonpath: string | undefined): Projection | undefined {
  if (jsonpath === undefined) return undefined;
  const parsed = parseProjection(jsonpath);
  if (parsed.kind === "parsed") return parsed.projection;
  throw new Problem(
    parsed.kind === "filter_disabled" ? "JSONPATH_FILTER_DISABLED" : "JSONPATH_INVALID",
    { detail: parsed.detail },
  );
}

function readOnlyIds(query: ReadQuery, search: string, filters: readonly Filter[]): string[] {
  const beside = NOT_WITH_IDS.find((name) => query[name] !== undefined);
  if (beside !== undefined || filters.length > 0) {
    throw invalidParameter(
      `ids can't be combined with ${beside ?? "a filter"}. Leave one of them out.`,
      "ids",
    );
  }
  return readIds(search);
}

/**
 * The ids that one id with commas in it may have meant: most clients also encode the commas of a list.
 * @throws {Problem} 400 if there are too many
 */
export function listedIds([id, ...others]: readonly string[]): readonly string[] | undefined {
  if (id === undefined || others.length > 0 || !id.includes(",")) return undefined;
  const listed = distinctIds(id.split(",").filter((each) => each !== ""));
  return listed.length > 0 ? listed : undefined;
}

/** The same read, keeping only `fields` of each row. */
export function keeping(plan: ReadPlan, fields: readonly string[]): ReadPlan {
  const of = plan.kind === "document" ? "document" : "rows";
  const projection = keepingFields(plan.projection, fields, of);
  return { ...plan, projection, key: `${plan.key} ${projection.key}` };
}

/**
 * Whether `data` is an array of rows. A document counts as one row, and so does the single value of a singular path.
 */
export function isOfRows({ kind, projection }: ReadPlan): boolean {
  return projection === undefined ? kind !== "document" : !projection.path.isSingular;
}

/** The same page with fewer rows. */
export function shortened(plan: PagePlan, limit: number): PagePlan {
  const key = plan.key.replace(/(?<=^\S+ page )\d+/, String(limit));
  return { ...plan, limit, key, isShortened: true };
}

function planPage(
  { query, filters, projection }: AskedRead,
  { feedId }: Feed,
  { source, secret }: { readonly source: RowsType; readonly secret: string },
): PagePlan {
  const { start_time: startTime, end_time: endTime } = query;
  const binding = JSON.stringify([
    feedId,
    // Filters are ANDed, so their order does not change the query.
    filters.map(({ name, text }) => JSON.stringify([name, text])).sort(),
    startTime ?? null,
    endTime ?? null,
  ]);
  const limit = cappedLimit(query.limit);
  const offset = query.offset ?? 0;
  const scope = { secret, binding };
  return {
    kind: "page",
    source,
    limit,
    offset,
    cursor: openCursor(query.cursor, source, scope),
    filters,
    startTime,
    endTime,
    scope,
    isShortened: false,
    projection,
    key: `${feedId} page ${limit} ${offset} ${query.cursor ?? ""} ${binding} ${projection?.key ?? ""}`,
  };
}

function openCursor(
  token: string | undefined,
  source: RowsType,
  scope: CursorScope,
): Cursor | undefined {
  if (token === undefined) return undefined;
  const cursor = readCursor(token, source, scope);
  if (cursor !== undefined) return cursor;
  throw new Problem("CURSOR_INVALID", {
    detail:
      "This cursor was not issued for this feed, these filters and these time bounds. Start again without a cursor.",
  });
}
