/**
 * A stream as an endless walk: pages until it is caught up, then server-sent events, and again from the last offset
 * after whatever ends them: a drain, a cut connection, the 15 minutes that a gateway keeps a stream open.
 *
 * Each row comes exactly once, if the caller is done with a page before it asks for the next: the offset moves then.
 *
 * @module
 */
import { ConnectionError, isProblem, problemError } from "./errors.ts";
import { serverSentEvents } from "./event_stream.ts";
import { type ParseRow, streamPage } from "./pages.ts";
import { feedPath, queryOf, randomKey, readHeaders } from "./query.ts";
import { isPassing, pause, pauseMs } from "./retry.ts";
import type { Transport, TransportOptions } from "./transport.ts";
import type { CallOptions, StreamPage } from "./types.ts";

/** How a stream is followed. */
export interface FollowOptions extends CallOptions {
  /** Where to begin: `start`, the oldest event; `now`, the next that comes; or an offset. @default "start" */
  readonly offset?: string | undefined;
  /** Rows on a page, 1 to 100. @default 100 */
  readonly limit?: number | undefined;
  /** A page that costs more credits than that ends the walk with `PriceAboveMaxError`. */
  readonly maxCredits?: number | undefined;
  /** Whether it waits for what comes; else it ends when it has caught up. @default true */
  readonly isLive?: boolean | undefined;
  /** How long it tries to connect again before it throws, in ms. @default 900_000 */
  readonly outageMsMax?: number | undefined;
}

/** What a walk is made with. */
export interface Follower<Row> {
  readonly transport: Transport;
  readonly options: TransportOptions;
  readonly parseRow: ParseRow<Row> | undefined;
}

/** A gateway sends a comment every 5 seconds. */
const SILENCE_MS_MAX = 30_000;
const OUTAGE_MS_MAX = 900_000;
const LIMIT = 100;

/** Pages with rows; without an end, unless it is not to be live. */
export async function* follow<Row>(
  { transport, options, parseRow }: Follower<Row>,
  feed: string,
  given: FollowOptions,
): AsyncGenerator<StreamPage<Row>, void, void> {
  const { signal, limit = LIMIT, maxCredits, outageMsMax = OUTAGE_MS_MAX } = given;
  const path = (offset: string, live?: "sse") =>
    feedPath(feed, `/stream${queryOf({ offset, limit, live })}`);
  let offset = given.offset ?? "start";
  // A stream of events sends a page a second. Whoever is behind catches up faster.
  while (offset !== "now") {
    const headers = readHeaders({ maxCredits }, randomKey());
    const { text } = await transport.call({ path: path(offset), headers, signal });
    const page = streamPage(text, parseRow);
    if (page.rows.length > 0) yield page;
    offset = page.nextOffset;
    if (page.isUpToDate) break;
  }
  if (given.isLive === false) return;
  let aliveMs = Date.now();
  let tries = 0;
  for (;;) {
    try {
      for await (const event of events(offset)) {
        if (event.name === "end") throw endOf(event.data);
        if (event.name === "rows") yield streamPage(event.data, parseRow);
        offset = event.id ?? offset;
      }
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      if (!isPassing(error) || Date.now() - aliveMs > outageMsMax) throw error;
      tries++;
      const waitMs = pauseMs({ error, tries }, { ...options, retries: tries }, Math.random());
      if (waitMs === undefined) throw error;
      options.onRetry?.({ error, waitMs });
      await pause(waitMs, signal);
    }
  }

  /** Events of one connection. It ends with the walk, and if it is silent. */
  async function* events(lastId: string) {
    const controller = new AbortController();
    const end = () => controller.abort();
    signal?.addEventListener("abort", end, { once: true });
    if (signal?.aborted) end();
    let timer = setTimeout(end, SILENCE_MS_MAX);
    const hear = () => {
      clearTimeout(timer);
      timer = setTimeout(end, SILENCE_MS_MAX);
      aliveMs = Date.now();
      tries = 0;
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
      if (body === null) throw new ConnectionError("the stream has no body");
      for await (const event of serverSentEvents(body, hear)) {
        // While the caller works on a page, nothing is read, and silence means nothing.
        clearTimeout(timer);
        yield event;
        hear();
      }
      // A gateway that stops says so. What ends without a word was cut.
      throw new ConnectionError("the stream was cut");
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
