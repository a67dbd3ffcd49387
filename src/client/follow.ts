/**
 * Follows a stream indefinitely: reads pages until it has caught up, then server-sent events. Resumes at the last
 * offset after any interruption, such as a restart of the gateway, a broken connection, or the end of the 15 minutes
 * for which a gateway keeps a connection open.
 *
 * Each row is returned exactly once, provided that the caller finishes a page before it requests the next one, because
 * the offset advances at that point.
 *
 * @module
 */
import { chargedRead } from "./charged_read.ts";
import { ConnectionError, isProblem, problemError } from "./errors.ts";
import { serverSentEvents } from "./event_stream.ts";
import { Outage } from "./outage.ts";
import { type ParseRow, streamPage } from "./pages.ts";
import { feedPath, queryOf, readHeaders } from "./query.ts";
import { type Failure, pause } from "./retry.ts";
import type { Transport, TransportOptions } from "./transport.ts";
import type { CallOptions, StreamPage } from "./types.ts";

/** Options for following a stream. */
export interface FollowOptions extends CallOptions {
  /**
   * Where to start: at `start` (the oldest event), at `now` (the next event that arrives), or at an offset.
   *
   * @default "start"
   */
  readonly offset?: string | undefined;
  /** Events per page, 1 to 100. @default 100 */
  readonly limit?: number | undefined;
  /** The maximum cost of a page, in credits. A more expensive one throws a `PriceAboveMaxError`. */
  readonly maxCredits?: number | undefined;
  /** Whether to wait for new events. If false, following ends when it has caught up. @default true */
  readonly isLive?: boolean | undefined;
  /**
   * How long to retry while the gateway is unreachable before the error is thrown, in ms.
   *
   * @default 900_000; if `isLive` is false, `retries` of the client limits the retries of each page
   */
  readonly outageMsMax?: number | undefined;
}

/** The parts of a client that following needs. */
export interface Follower<Row> {
  readonly transport: Transport;
  readonly options: TransportOptions;
  readonly parseRow: ParseRow<Row> | undefined;
  /** The time, in ms. @default Date.now */
  readonly nowMs?: (() => number) | undefined;
}

/** A gateway sends a comment every 15 seconds. */
const SILENCE_MS_MAX = 30_000;
const OUTAGE_MS_MAX = 900_000;
const LIMIT = 100;

/** Pages with rows. Endless, unless `isLive` is false. */
export async function* follow<Row>(
  { transport, options, parseRow, nowMs = Date.now }: Follower<Row>,
  feed: string,
  given: FollowOptions,
): AsyncGenerator<StreamPage<Row>, void, void> {
  const { signal, limit = LIMIT, maxCredits, isLive = true, outageMsMax } = given;
  const outage = new Outage({
    outageMsMax: outageMsMax ?? OUTAGE_MS_MAX,
    patience: options,
    nowMs,
  });
  const isPatient = isLive || outageMsMax !== undefined;
  const pauseOf = isPatient ? (failure: Failure) => outage.pauseMs(failure) : undefined;
  const path = (offset: string, live?: "sse") =>
    feedPath(feed, `/stream${queryOf({ offset, limit, live })}`);
  let offset = given.offset ?? "start";
  // An event stream sends a page a second. A client that lags catches up faster by pages.
  while (offset !== "now") {
    outage.end();
    const call = { path: path(offset), pauseOf };
    const text = await chargedRead(transport, call, { maxCredits, signal });
    const page = streamPage(text, parseRow);
    if (page.rows.length > 0) yield page;
    offset = page.nextOffset;
    if (page.isUpToDate) break;
  }
  if (!isLive) return;
  outage.end();
  for (;;) {
    try {
      for await (const event of events(offset)) {
        if (event.name === "end") throw endOf(event.data);
        if (event.name === "rows") yield streamPage(event.data, parseRow);
        offset = event.id ?? offset;
      }
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      const waitMs = outage.pauseMs({ error });
      if (waitMs === undefined) throw error;
      options.onRetry?.({ error, waitMs });
      await pause(waitMs, signal);
    }
  }

  /** Events of one connection. It ends when following ends, or if it is silent. */
  async function* events(lastId: string) {
    const controller = new AbortController();
    const end = () => controller.abort();
    signal?.addEventListener("abort", end, { once: true });
    if (signal?.aborted) end();
    let timer = setTimeout(end, SILENCE_MS_MAX);
    const hear = () => {
      clearTimeout(timer);
      timer = setTimeout(end, SILENCE_MS_MAX);
      outage.end();
    };
    try {
      const { body } = await transport.open({
        path: path(lastId, "sse"),
        headers: {
          ...readHeaders({ maxCredits }, undefined),
          Accept: "text/event-stream, application/problem+json",
        },
        signal: controller.signal,
      });
      if (body === null) throw new ConnectionError("the stream's response has no body");
      for await (const event of serverSentEvents(body, hear)) {
        // While the caller processes a page, nothing is read, so silence means nothing.
        clearTimeout(timer);
        yield event;
        hear();
      }
      // A gateway that stops sends an event first. Without one, the connection was interrupted.
      throw new ConnectionError("the stream was interrupted");
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      controller.abort();
    }
  }
}

function endOf(data: string): Error {
  const problem: unknown = JSON.parse(data);
  return isProblem(problem)
    ? problemError(problem)
    : new ConnectionError("the stream ended without a reason");
}
