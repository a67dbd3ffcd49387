/**
 * A page of a stream in arrival order, as a resource.
 *
 * Positions are assigned under the feed's lock, in commit order. So a follower that continues from the last position
 * that it has seen misses no event. See `src/spec/beyond.md`, section 3.
 *
 * @module
 */
import type { Grant, WindowState } from "../../admission/claims.ts";
import { rateHeaders } from "../../api/callers/rate_headers.ts";
import { feedNotFound } from "../../api/problems/call_refusals.ts";
import { type RowsTaken, type ToolWishes, wishesOf } from "../../api/tool_request.ts";
import { type Answer, answerHead, privateJson } from "../../http/answer.ts";
import { Problem } from "../../http/problem_details.ts";
import { createSingleFlight } from "../../lib/single_flight.ts";
import type { Services } from "../../services.ts";
import type { ReadCall } from "../pipeline/attempts.ts";
import { claimOf } from "../pipeline/claim_headers.ts";
import { refuseEmptyRows } from "../pipeline/field_names.ts";
import { findFeed, problemOfNoFeed } from "../pipeline/find_feed.ts";
import { originText } from "../pipeline/read_receipt.ts";
import type { Resource } from "../pipeline/resource.ts";
import { inTurnOf, sharedFor } from "../pipeline/shared_turns.ts";
import { unprojected } from "../projection/projection.ts";
import { keepingFields } from "../projection/projection_parse.ts";
import type { Projections } from "../projection/turns.ts";
import { type OffsetScope, readOffset, writeOffset } from "./offset.ts";

/** Where a follower continues: after a position, or after the newest event at the time of the read. */
type Place = bigint | "now";

/** A follower's request. */
export interface TailRead {
  /** A feed's id or its `endpoint_path`. */
  readonly reference: string;
  /** Where to continue: `start`, `now`, or a token. */
  readonly offset: string;
  /** The offset as the client sent it. An Idempotency-Key is bound to it, while a long poll moves on from it. */
  readonly sentOffset: string;
  readonly limit: number;
  /** Headers that the claim depends on. */
  readonly headers: Headers;
}

/** What a follower needs to continue. */
export interface Tail {
  readonly feedId: string;
  readonly dataVersion: bigint;
  readonly nextOffset: string;
  readonly isEmpty: boolean;
  readonly isUpToDate: boolean;
}

/** A page as it was read. */
interface TailPage {
  readonly tail: Tail;
  /** Its events, as the text of a JSON array. */
  readonly data: string;
  readonly fieldsNotFound: readonly string[];
}

interface Wanted {
  readonly accountId: string;
  readonly feedId: string;
  readonly place: Place;
  readonly limit: number;
  readonly atLeast: bigint;
  /** The fields to keep of each event, if a tool requests that. */
  readonly fields: readonly string[] | undefined;
}

export function createTailReads(services: Services, projections: Projections) {
  const { config, cursorSecret: secret, feeds, reader } = services;
  const limits = { free: config.limits.readsFree, paid: config.limits.readsPaid };
  // All followers that a push wakes want the same page.
  const tails = createSingleFlight(
    (wanted: Wanted) => inTurnOf(wanted.accountId, () => readTail(wanted)),
    ({ feedId, place, limit, atLeast, fields }: Wanted) =>
      `${feedId} ${place} ${limit} ${atLeast} ${fields && JSON.stringify(fields)}`,
  );

  async function readTail(wanted: Wanted): Promise<TailPage> {
    const { accountId, feedId, place, limit, atLeast, fields } = wanted;
    const row = await reader.row(
      accountId,
      "read_stream_tail",
      { feed_id: feedId, after_position: place === "now" ? null : place, limit },
      // If a replica lags, its last page may lack events.
      (found) => found !== undefined && (found.has_more || found.data_version >= atLeast),
    );
    if (row === undefined) throw feedNotFound();
    const { data, data_version: dataVersion, newest_position: newest, has_more: hasMore } = row;
    // At the end, positions without an event are also passed over.
    const position = hasMore && row.last_position !== null ? row.last_position : newest;
    const nextOffset = writeOffset(position, { secret, feedId });
    const events = `[${data ?? ""}]`;
    const projected =
      fields === undefined
        ? unprojected(events)
        : await projections.apply({
            projection: keepingFields(undefined, fields, "rows"),
            data: events,
            accountId,
          });
    const { text, fieldsNotFound } = projected;
    // A follower past the start has read the first page.
    if (place === 0n) await refuseEmptyRows({ reader, accountId, feedId }, projected);
    return {
      tail: { feedId, dataVersion, nextOffset, isEmpty: data === null, isUpToDate: !hasMore },
      data: text,
      fieldsNotFound,
    };
  }

  return async (
    { call, principal }: ReadCall,
    { reference, offset, sentOffset, limit, headers }: TailRead,
    isFresh: boolean,
  ): Promise<Resource<Tail | undefined>> => {
    const { accountId } = principal;
    const wanted = { seeker: principal.caller.account, reference, isFresh };
    const feed = await findFeed(feeds, wanted);
    if (feed === undefined) throw await problemOfNoFeed(feeds, wanted);
    const { feedId, feedType } = feed;
    call.subject.feedId = feedId;
    if (feedType !== "stream") {
      throw new Problem("NOT_A_STREAM", {
        detail: (words) =>
          `This feed is a ${feedType ?? "draft"}, and only streams can be followed. Read it with ${words.readFeed}.`,
      });
    }
    const place = placeOf(offset, { secret, feedId });
    const query = `stream ${feedId} ${sentOffset} ${limit}`;
    const { fields, take } = wishesOf(call.request);
    return {
      claim: claimOf({ operation: "stream", feed, limits, query }, headers),
      async build(atLeast, repeated) {
        // After waiting, the page of a long poll began later than its query says.
        const from = repeated?.beginsAfter ?? place;
        const wantedPage = {
          accountId,
          feedId,
          place: from,
          limit,
          atLeast: atLeast ?? feed.dataVersion,
          fields,
        };
        const page = await sharedFor(accountId, tails.ask(wantedPage), () => readTail(wantedPage));
        const { tail } = page;
        const answer = (origin: string | undefined, window: WindowState) =>
          take === undefined
            ? answerOf(page, origin, window)
            : taken(page, take, { origin, window });
        return {
          seen: tail,
          version: tail.dataVersion,
          // A page from `now` is empty.
          ...(from !== "now" && { beginsAfter: from }),
          answer: (grant: Grant) => answer(originText(grant.receipt, feedId), grant.window),
          ...(tail.isEmpty && {
            empty: {
              version: tail.dataVersion,
              answer: (window: WindowState) => answer(undefined, window),
            },
          }),
        };
      },
      async describe() {
        return {
          seen: undefined,
          cachingHeaders: {},
          head: (window) => answerHead(headersOf(window)),
        };
      },
    };
  };
}

function placeOf(offset: string, scope: OffsetScope): Place {
  if (offset === "now") return "now";
  const position = offset === "start" ? 0n : readOffset(offset, scope);
  if (position !== undefined) return position;
  throw new Problem("CURSOR_INVALID", {
    detail:
      "This offset was not issued for this feed. Pass next_offset unchanged, or start with start or now.",
  });
}

function answerOf(
  { tail, data }: TailPage,
  origin: string | undefined,
  window: WindowState,
): Answer {
  const { nextOffset, isUpToDate } = tail;
  const body = `{"data":${data},"next_offset":"${nextOffset}","up_to_date":${isUpToDate},"_origin":${origin ?? null}}`;
  return { headers: headersOf(window), body };
}

/** The page for a tool, which receives the events instead of a response. */
function taken(
  { tail, data, fieldsNotFound }: TailPage,
  take: NonNullable<ToolWishes["take"]>,
  of: Pick<RowsTaken, "origin" | "window">,
): Answer {
  const next = { next_offset: tail.nextOffset, up_to_date: tail.isUpToDate };
  take({ rows: [data], next, fieldsNotFound, ...of });
  return { headers: privateJson(), body: null };
}

function headersOf(window: WindowState): Record<string, string> {
  return { ...privateJson(), ...rateHeaders(window, Date.now()) };
}
