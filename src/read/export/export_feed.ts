/**
 * Every row of one version of a feed, as one read of many units. Beyond 10.
 *
 * The rows are counted and sent by one snapshot of the database, which is opened before the export is admitted. So what
 * is charged is what is sent. A version that was exported before is found again by the note that `claim_export` made of
 * it: its batch, and its last position.
 *
 * @module
 */

import { creditsText } from "../../accounts/money.ts";
import type { Receipt } from "../../admission/claims.ts";
import type { Principal } from "../../api/callers.ts";
import { invalidParameter } from "../../api/parameters.ts";
import { limitHeaders, stateHeaders } from "../../api/rate_headers.ts";
import { feedNotSynced } from "../../api/refusals.ts";
import type { Feed } from "../../feeds/find.ts";
import { schemaProperties } from "../../feeds/schema_properties.ts";
import { acceptsGzip } from "../../http/accept_encoding.ts";
import { type Answer, answerHead, CACHE_PRIVATE } from "../../http/answer.ts";
import { Problem, unavailable } from "../../http/errors.ts";
import { present } from "../../lib/assert.ts";
import { SharedPool } from "../../lib/shared_pool.ts";
import { MS_PER_SECOND } from "../../lib/time_units.ts";
import {
  CSV_COLUMNS_MAX,
  EXPORT_ROWS_PER_READ,
  EXPORT_SAMPLE_ROWS,
  EXPORTS_LIMIT,
  EXPORTS_MAX,
  EXPORTS_PER_MINUTE,
  EXPORTS_WINDOW_MS,
  EXPORTS_WINDOW_US,
  RETIRED_BATCH_GRACE,
} from "../../limits.ts";
import type { Row } from "../../postgres/client/query.ts";
import type { Snapshot } from "../../postgres/client/snapshot.ts";
import type { Services } from "../../services.ts";
import type { ReadCall } from "../pipeline/attempts.ts";
import { claimOf } from "../pipeline/claim_headers.ts";
import { findFeed, problemOfNoFeed } from "../pipeline/find_feed.ts";
import type { ReadPipeline } from "../pipeline/pipeline.ts";
import type { Resource } from "../pipeline/resource.ts";
import { csvColumns } from "./csv_lines.ts";
import { exportBody } from "./export_body.ts";

/** What a reader asks for. */
export interface ExportAsked {
  /** A feed's id or its `endpoint_path`. */
  readonly reference: string;
  readonly format: "ndjson" | "csv";
  /** The row behind which it goes on; undefined: from the first. */
  readonly after: string | undefined;
  /** Undefined: the newest. */
  readonly version: bigint | undefined;
}

type Survey = Row<"survey_export">;
type Claimed = Row<"claim_export">;

/** An export under way: what it has opened and counted. */
interface Open {
  readonly snapshot: Snapshot;
  readonly feedId: string;
  readonly survey: Survey;
  readonly columns: readonly string[] | undefined;
  /** Once it is counted in the limit. */
  claimed?: Claimed & { readonly exportId: string };
  /** Once it is sent. */
  body?: ReturnType<typeof exportBody>;
}

const WINDOW_SECONDS = EXPORTS_WINDOW_MS / MS_PER_SECOND;
const MEDIA_TYPES = {
  ndjson: "application/x-ndjson",
  csv: "text/csv; charset=utf-8; header=present",
} as const;

export function createExports(services: Services, reads: ReadPipeline) {
  const { database, feeds, log, openSnapshot } = services;
  const places = new SharedPool(EXPORTS_MAX);
  const limits = { free: EXPORTS_PER_MINUTE, paid: EXPORTS_PER_MINUTE };

  /** @throws {Problem} every 400, 404, 410 and 503 */
  async function find(
    readCall: ReadCall,
    asked: ExportAsked,
    { isFresh, held }: { readonly isFresh: boolean; readonly held: { open?: Open } },
  ): Promise<Resource> {
    const { call, principal } = readCall;
    const { accountId } = principal;
    const wanted = { accountId, reference: asked.reference, isFresh };
    const feed = await findFeed(feeds, wanted);
    if (feed === undefined) throw await problemOfNoFeed(feeds, wanted);
    call.subject.feedId = feed.feedId;
    if (!feed.hasData) throw feedNotSynced();
    if (feed.feedType === "singleton") {
      throw invalidParameter(
        "This feed is a singleton, and one read gives all of it. Read it with GET /v1/feed/{id}.",
      );
    }
    if (held.open?.feedId !== feed.feedId) {
      await held.open?.snapshot.end();
      held.open = await open(feed, accountId, asked);
    }
    return resourceOf(readCall, { asked, feed, open: held.open });
  }

  async function open(
    feed: Feed,
    accountId: string,
    { format, after, version }: ExportAsked,
  ): Promise<Open> {
    const { feedId } = feed;
    const snapshot = await openSnapshot();
    try {
      const survey = await snapshot.row("survey_export", {
        feed_id: feedId,
        account_id: accountId,
        version: version ?? null,
        after: after ?? null,
        grace: RETIRED_BATCH_GRACE,
      });
      if (survey === undefined) throw versionGone();
      const columns = format === "csv" ? await columnsOf(snapshot, feed, survey) : undefined;
      return { snapshot, feedId, survey, columns };
    } catch (error) {
      await snapshot.end();
      throw error;
    }
  }

  async function columnsOf(
    snapshot: Snapshot,
    { feedId, feedType }: Feed,
    survey: Survey,
  ): Promise<readonly string[]> {
    const begun: unknown = JSON.parse(survey.csv_columns ?? "null");
    if (Array.isArray(begun)) return begun.map(String);
    const isStream = feedType === "stream";
    const named = schemaProperties(survey.schema_definition).map(([name]) => name);
    if (named.length > 0) return csvColumns(named.slice(0, CSV_COLUMNS_MAX), isStream);
    const found = await snapshot.rows("list_export_fields", {
      feed_id: feedId,
      batch_number: survey.batch_number,
      last_position: survey.last_position,
      oldest_event: survey.oldest_event,
      rows_max: EXPORT_SAMPLE_ROWS,
      fields_max: CSV_COLUMNS_MAX,
    });
    return csvColumns(
      found.map(({ name }) => name),
      isStream,
    );
  }

  function resourceOf(
    { call, principal }: ReadCall,
    { asked, feed, open }: { asked: ExportAsked; feed: Feed; open: Open },
  ): Resource {
    const { survey } = open;
    const { data_version: version, row_count: rows } = survey;
    const units = (rows + EXPORT_ROWS_PER_READ - 1n) / EXPORT_ROWS_PER_READ;
    const query = `export ${asked.format} ${feed.feedId}`;
    const { request } = call;
    const claim = {
      ...claimOf({ operation: "export", feed, limits, query }, request.headers),
      units,
      version,
    };
    const isGzipped = acceptsGzip(request.headers.get("accept-encoding"));
    const headers = headersOf(survey, { asked, isGzipped });
    return {
      claim,
      async build(_atLeast, repeated) {
        // One that goes on under its Idempotency-Key was counted when it began.
        if (repeated === undefined) open.claimed ??= await claimExport(principal, open);
        return {
          seen: null,
          version,
          answer: async ({ receipt }) => ({
            headers: { ...headers, ...receiptHeaders(receipt), ...windowHeaders(open.claimed) },
            body: await send(open, { asked, isGzipped }),
          }),
        };
      },
      describe: async () => ({
        seen: null,
        cachingHeaders: {},
        head: () => answerHead(headers),
      }),
    };
  }

  /** @throws {Problem} 429 */
  async function claimExport({ accountId }: Principal, { feedId, survey, columns }: Open) {
    const exportId = Bun.randomUUIDv7();
    const claimed = present(
      await database.onBehalfOf(accountId).row("claim_export", {
        export_id: exportId,
        account_id: accountId,
        feed_id: feedId,
        data_version: survey.data_version,
        batch_number: survey.batch_number,
        last_position: survey.last_position,
        csv_columns: columns === undefined ? null : JSON.stringify(columns),
        exports_limit: EXPORTS_LIMIT,
        window_us: EXPORTS_WINDOW_US,
      }),
    );
    if (!claimed.is_granted) throw exportsLimited(claimed);
    return { ...claimed, exportId };
  }

  /** The body. From here on, the session ends with it. */
  async function send(
    open: Open,
    { asked, isGzipped }: { readonly asked: ExportAsked; readonly isGzipped: boolean },
  ): Promise<ReadableStream<Uint8Array>> {
    const lines = await open.snapshot.copyLines(copyQuery(open));
    // A failure is met by whoever reads; without a reader it has nobody.
    lines.on("error", () => {});
    open.body = exportBody(lines, {
      columns: open.columns,
      isWhole: asked.after === undefined,
      isGzipped,
    });
    open.body.ended.then(() => close(open));
    return open.body.stream;
  }

  async function close({ snapshot }: Open): Promise<void> {
    await snapshot.end().catch((error) => log.warn("export's session not ended", { error }));
  }

  /** What was opened and counted for an answer that is none. */
  async function giveUp({ accountId }: Principal, open: Open): Promise<void> {
    const { claimed } = open;
    await close(open);
    if (claimed === undefined) return;
    try {
      const { exportId } = claimed;
      await database.onBehalfOf(accountId).row("release_export", { export_id: exportId });
    } catch (error) {
      log.warn("export counted though it was not answered", { feed: open.feedId, error });
    }
  }

  return async (readCall: ReadCall, asked: ExportAsked): Promise<Answer | Problem> => {
    const { principal } = readCall;
    const { accountId } = principal;
    if (!places.mayTake(accountId, 1)) return tooManyExports();
    places.take(accountId, 1);
    const held: { open?: Open } = {};
    const leave = () => places.giveBack(accountId, 1);
    let isSending = false;
    try {
      const findIt = (isFresh: boolean) => find(readCall, asked, { isFresh, held });
      const answer = await reads.answer(readCall, findIt);
      const { body } = held.open ?? {};
      isSending = body !== undefined && !(answer instanceof Problem);
      body?.ended.then(leave);
      return answer;
    } finally {
      if (!isSending) {
        if (held.open !== undefined) await giveUp(principal, held.open);
        leave();
      }
    }
  };
}

/** The rows in the order of their positions. The values are the database's own, so they can stand in the text. */
function copyQuery({ feedId, survey }: Open): string {
  const { batch_number, after_position, last_position, oldest_event } = survey;
  const isStream = batch_number === 0n;
  return `
    select payload
    from ${isStream ? "stream_events" : "collection_rows"}
    where feed_id = '${feedId}'
      and position > ${after_position}
      and position <= ${last_position}
      ${isStream ? `and event_at >= '${oldest_event}'` : `and batch_number = ${batch_number}`}
    order by position`;
}

function headersOf(
  { data_version: version, row_count: rows, endpoint_path: slug }: Survey,
  { asked, isGzipped }: { readonly asked: ExportAsked; readonly isGzipped: boolean },
): Record<string, string> {
  return {
    "Content-Type": MEDIA_TYPES[asked.format],
    "Content-Disposition": `attachment; filename="${slug}.${asked.format}"`,
    "Cache-Control": CACHE_PRIVATE,
    "Feedgate-Data-Version": String(version),
    "Feedgate-Row-Count": String(rows),
    Vary: "Accept-Encoding",
    ...(isGzipped && { "Content-Encoding": "gzip" }),
  };
}

/** The receipt, since the body has no room for an `_origin`. */
function receiptHeaders({ usageId, chargeNanos }: Receipt): Record<string, string> {
  return {
    "Feedgate-Usage-Id": usageId,
    "Feedgate-Credits-Charged": creditsText(chargeNanos),
  };
}

function windowOf({ used, reset_seconds }: Claimed) {
  const remaining = Math.max(0, EXPORTS_LIMIT - used);
  return { limit: EXPORTS_LIMIT, remaining, resetSeconds: Number(reset_seconds) };
}

/** None for an export that was not counted. */
function windowHeaders(claimed: Claimed | undefined): Record<string, string> {
  if (claimed === undefined) return {};
  const window = windowOf(claimed);
  return {
    ...limitHeaders(window, WINDOW_SECONDS),
    ...stateHeaders(window, Date.now(), { resetInSecondsMax: WINDOW_SECONDS }),
  };
}

/** 429. */
function exportsLimited(claimed: Claimed): Problem {
  const retryAfterMs = Number(claimed.retry_after_ms ?? 0n);
  const retryAfter = String(Math.ceil(retryAfterMs / MS_PER_SECOND));
  return new Problem("RATE_LIMITED", {
    detail: `At most ${EXPORTS_LIMIT} exports of a feed an hour are served. Wait ${retryAfter} seconds, or go on with a broken one by after, version and the same Idempotency-Key.`,
    extras: { retry_after_ms: retryAfterMs },
    headers: {
      ...windowHeaders(claimed),
      "Retry-After": retryAfter,
    },
  });
}

/** 503: each export has a session of its own. */
function tooManyExports(): Problem {
  return unavailable(
    "More exports are under way than the gateway can serve, or than one account may have. Try again when one has ended.",
  );
}

/** 410. */
function versionGone(): Problem {
  return new Problem("CURSOR_EXPIRED", {
    detail:
      "The version of this export is gone, or the row that it is to go on behind. Export the feed anew, without after and version.",
  });
}
