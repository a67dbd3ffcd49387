/**
 * Exports every row of one version of a feed, as one read of many units.
 *
 * The export is admitted by an upper bound of its rows, which the database maintains, and counted in its limit. Only
 * then does it open a session of its own. One snapshot counts and sends the rows, so the rows that are charged are the
 * rows that are sent. To find a version that was exported before, it uses the note that `claim_export` made: its batch
 * and its last position. See `src/spec/beyond.md`, section 10.
 *
 * @module
 */

import type { Receipt } from "../../admission/claims.ts";
import type { Principal } from "../../api/callers/callers.ts";
import { limitHeaders, stateHeaders } from "../../api/callers/rate_headers.ts";
import { invalidParameter } from "../../api/input/parameters.ts";
import { feedNotSynced } from "../../api/problems/call_refusals.ts";
import type { Feed } from "../../feeds/find.ts";
import { schemaProperties } from "../../feeds/schema_properties.ts";
import { acceptsGzip } from "../../http/accept_encoding.ts";
import { type Answer, answerHead, CACHE_PRIVATE } from "../../http/answer.ts";
import { Problem, unavailable } from "../../http/problem_details.ts";
import { present } from "../../lib/assert.ts";
import { SharedPool } from "../../lib/shared_pool.ts";
import { MS_PER_SECOND } from "../../lib/time_units.ts";
import {
  CSV_COLUMNS_MAX,
  EXPORT_GIVES_WAY_MS,
  EXPORT_ROWS_PER_READ,
  EXPORT_SAMPLE_ROWS,
  EXPORTS_LIMIT,
  EXPORTS_MAX,
  EXPORTS_PER_MINUTE,
  EXPORTS_WINDOW_MS,
  EXPORTS_WINDOW_US,
  RETIRED_BATCH_GRACE,
} from "../../limits.ts";
import { creditsText } from "../../money/money.ts";
import type { Row } from "../../postgres/client/database.ts";
import type { Snapshot } from "../../postgres/client/snapshot.ts";
import type { Services } from "../../services.ts";
import type { ReadCall } from "../pipeline/attempts.ts";
import { claimOf } from "../pipeline/claim_headers.ts";
import { findFeed, problemOfNoFeed } from "../pipeline/find_feed.ts";
import type { ReadPipeline } from "../pipeline/pipeline.ts";
import type { Resource } from "../pipeline/resource.ts";
import { csvColumns } from "./csv_lines.ts";
import { type ExportBody, exportBody } from "./export_body.ts";

/** A request for an export. */
export interface ExportAsked {
  /** A feed's id or its `endpoint_path`. */
  readonly reference: string;
  readonly format: "ndjson" | "csv";
  /** The row after which the export resumes. Undefined to start at the first row. */
  readonly after: string | undefined;
  /** Undefined for the newest. */
  readonly version: bigint | undefined;
}

type Survey = Row<"survey_export">;
type Claimed = Row<"claim_export">;

/** An export in progress: its plan, and what it has counted and opened so far. */
interface Held {
  readonly feed: Feed;
  readonly plan: Survey;
  /** Set once the export is counted in the limit. */
  claimed?: Claimed & { readonly exportId: string };
  /** Set once its rows are counted. */
  open?: Open;
  /** Set once it is being sent. */
  body?: ExportBody;
}

interface Open {
  readonly snapshot: Snapshot;
  readonly survey: Survey;
  readonly columns: readonly string[] | undefined;
}

const WINDOW_SECONDS = EXPORTS_WINDOW_MS / MS_PER_SECOND;
const MEDIA_TYPES = {
  ndjson: "application/x-ndjson",
  csv: "text/csv; charset=utf-8; header=present",
} as const;

export function createExports(
  services: Services,
  reads: ReadPipeline,
  { givesWayMs = EXPORT_GIVES_WAY_MS }: { readonly givesWayMs?: number } = {},
) {
  const { database, feeds, log, openSnapshot } = services;
  const places = new SharedPool(EXPORTS_MAX);
  const sending = new Set<ExportBody>();
  const limits = { free: EXPORTS_PER_MINUTE, paid: EXPORTS_PER_MINUTE };

  /** Plans the export, using only cheap look-ups. @throws {Problem} every 400, 404, and 410 */
  async function find(
    readCall: ReadCall,
    asked: ExportAsked,
    { isFresh, call }: { readonly isFresh: boolean; readonly call: { held: Held | undefined } },
  ): Promise<Resource> {
    const { principal } = readCall;
    const { accountId } = principal;
    const wanted = { seeker: principal.caller.account, reference: asked.reference, isFresh };
    const feed = await findFeed(feeds, wanted);
    if (feed === undefined) throw await problemOfNoFeed(feeds, wanted);
    readCall.call.subject.feedId = feed.feedId;
    if (!feed.hasData) throw feedNotSynced();
    if (feed.feedType === "singleton") {
      throw invalidParameter(
        "This feed is a singleton, so one read returns all of it. Read it with GET /v1/feed/{id}.",
      );
    }
    // An earlier attempt's plan is outdated.
    await giveUp(principal, call.held);
    call.held = undefined;
    // No id contains a NUL, and PostgreSQL accepts none in a parameter.
    if (asked.after?.includes("\0")) throw versionGone();
    const queries = database.onBehalfOf(accountId);
    const plan = await queries.row("survey_export", surveyOf(feed, accountId, asked));
    if (plan === undefined) throw versionGone();
    const held: Held = { feed, plan };
    call.held = held;
    return resourceOf(readCall, asked, held);
  }

  const surveyOf = ({ feedId }: Feed, accountId: string, { after, version }: ExportAsked) => ({
    feed_id: feedId,
    account_id: accountId,
    version: version ?? null,
    after: after ?? null,
    grace: RETIRED_BATCH_GRACE,
    is_counted: false,
  });

  /** Opens a snapshot and counts its rows. The snapshot may have a newer version. @throws {Problem} 410 */
  async function open({ feed }: Held, accountId: string, asked: ExportAsked): Promise<Open> {
    const snapshot = await openSnapshot();
    let isOpen = false;
    try {
      const survey = await snapshot.row("survey_export", {
        ...surveyOf(feed, accountId, asked),
        is_counted: true,
      });
      if (survey === undefined) throw versionGone();
      const columns = asked.format === "csv" ? await columnsOf(snapshot, feed, survey) : undefined;
      isOpen = true;
      return { snapshot, survey, columns };
    } finally {
      if (!isOpen) await end(snapshot);
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

  function resourceOf({ call, principal }: ReadCall, asked: ExportAsked, held: Held): Resource {
    const { feed, plan } = held;
    const query = `export ${asked.format} ${feed.feedId}`;
    const { request } = call;
    const claim = {
      ...claimOf({ operation: "export", feed, limits, query }, request.headers),
      units: unitsOf(plan),
      version: plan.data_version,
    };
    const isGzipped = acceptsGzip(request.headers.get("accept-encoding"));
    return {
      claim,
      async build(_atLeast, repeated) {
        // An export that resumes under its Idempotency-Key was counted when it began.
        if (repeated === undefined) held.claimed ??= await claimExport(principal, held);
        held.open ??= await open(held, principal.accountId, asked);
        await note(principal, held);
        const { survey } = held.open;
        const headers = headersOf(survey, { asked, isGzipped });
        return {
          seen: null,
          version: survey.data_version,
          units: unitsOf(survey),
          answer: async ({ receipt }) => ({
            headers: { ...headers, ...receiptHeaders(receipt), ...windowHeaders(held.claimed) },
            body: await send(held, { asked, isGzipped }),
          }),
        };
      },
      describe: async () => ({
        seen: null,
        cachingHeaders: {},
        head: () => answerHead(headersOf(plan, { asked, isGzipped })),
      }),
    };
  }

  /** @throws {Problem} 429 */
  async function claimExport({ accountId }: Principal, { feed, plan }: Held) {
    const exportId = Bun.randomUUIDv7();
    const claimed = present(
      await database.onBehalfOf(accountId).row("claim_export", {
        export_id: exportId,
        account_id: accountId,
        feed_id: feed.feedId,
        data_version: plan.data_version,
        batch_number: plan.batch_number,
        last_position: plan.last_position,
        exports_limit: EXPORTS_LIMIT,
        window_us: EXPORTS_WINDOW_US,
      }),
    );
    if (!claimed.is_granted) throw exportsLimited(claimed);
    return { ...claimed, exportId };
  }

  /** Updates the note if the export shows more than was known when it was counted. */
  async function note({ accountId }: Principal, { claimed, open, plan }: Held): Promise<void> {
    if (claimed === undefined || open === undefined) return;
    const { survey, columns } = open;
    if (columns === undefined && survey.data_version === plan.data_version) return;
    await database.onBehalfOf(accountId).row("note_export", {
      export_id: claimed.exportId,
      data_version: survey.data_version,
      batch_number: survey.batch_number,
      last_position: survey.last_position,
      csv_columns: columns === undefined ? null : JSON.stringify(columns),
    });
  }

  /** The body. From here on, the session ends with it. */
  async function send(
    held: Held,
    { asked, isGzipped }: { readonly asked: ExportAsked; readonly isGzipped: boolean },
  ): Promise<ReadableStream<Uint8Array>> {
    const { snapshot, survey, columns } = present(held.open);
    const lines = await snapshot.copyLines(copyQuery(held.feed, survey));
    // The reader gets any failure. Without a reader, it can be ignored.
    lines.on("error", () => {});
    const body = exportBody(lines, { columns, isWhole: asked.after === undefined, isGzipped });
    held.body = body;
    sending.add(body);
    body.ended.then(async () => {
      sending.delete(body);
      await end(snapshot);
    });
    return body.stream;
  }

  async function end(snapshot: Snapshot): Promise<void> {
    await snapshot
      .end()
      .catch((error) => log.warn("the session of an export was not closed", { error }));
  }

  /** Releases what was opened and counted for an answer that failed. */
  async function giveUp({ accountId }: Principal, held: Held | undefined): Promise<void> {
    if (held?.open !== undefined) await end(held.open.snapshot);
    if (held?.claimed === undefined) return;
    try {
      const { exportId } = held.claimed;
      await database.onBehalfOf(accountId).row("release_export", { export_id: exportId });
    } catch (error) {
      log.warn("an export was counted although it was not answered", {
        feed: held.feed.feedId,
        error,
      });
    }
  }

  /** Reserves a slot for one more export of the account. False if there is none. */
  async function takePlace(accountId: string): Promise<boolean> {
    if (!places.mayTake(accountId, 1) && !places.holds(accountId)) {
      // An export whose client does not read gives way to one that has not started.
      const [slowest] = [...sending].sort((a, b) => b.untakenMs() - a.untakenMs());
      if (slowest !== undefined && slowest.untakenMs() > givesWayMs) {
        slowest.abort();
        await slowest.ended;
      }
    }
    if (!places.mayTake(accountId, 1)) return false;
    places.take(accountId, 1);
    return true;
  }

  return async (readCall: ReadCall, asked: ExportAsked): Promise<Answer | Problem> => {
    const { principal } = readCall;
    const { accountId } = principal;
    if (!(await takePlace(accountId))) return tooManyExports();
    const call: { held: Held | undefined } = { held: undefined };
    const leave = () => places.giveBack(accountId, 1);
    let isSending = false;
    try {
      const answer = await reads.answer(readCall, (isFresh) =>
        find(readCall, asked, { isFresh, call }),
      );
      const body = call.held?.body;
      isSending = body !== undefined && !(answer instanceof Problem);
      body?.ended.then(leave);
      return answer;
    } finally {
      if (!isSending) {
        await giveUp(principal, call.held);
        leave();
      }
    }
  };
}

/** One call for each hundred rows. */
function unitsOf({ row_count: rows }: Survey): bigint {
  return (rows + EXPORT_ROWS_PER_READ - 1n) / EXPORT_ROWS_PER_READ;
}

/** The rows in position order. The values come from the database, so they are safe to embed in the text. */
function copyQuery(
  { feedId }: Feed,
  { batch_number, after_position, last_position, oldest_event }: Survey,
): string {
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

/** The receipt, in headers because the body has no room for an `_origin`. */
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

/** Empty for an export that was not counted. */
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
    detail: `The limit is ${EXPORTS_LIMIT} exports per feed and hour. Wait ${retryAfter} seconds, or resume an interrupted export with after, version and the same Idempotency-Key.`,
    extras: { retry_after_ms: retryAfterMs },
    headers: {
      ...windowHeaders(claimed),
      "Retry-After": retryAfter,
    },
  });
}

/** 503: each export needs its own session. */
function tooManyExports(): Problem {
  return unavailable(
    "Too many exports are running, on the gateway or for this account. Try again when one has ended.",
  );
}

/** 410. */
function versionGone(): Problem {
  return new Problem("CURSOR_EXPIRED", {
    detail:
      "The version of this export, or the row to resume after, is no longer available. Export the feed again, without after and version.",
  });
}
