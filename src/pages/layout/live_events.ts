/**
 * Pages that update while they are open, with server-sent events. An event only says that the content of the page has
 * changed. The page's script then requests the page with its visitor's rights.
 *
 * Viewers wait like readers of streams (`feeds/waits.ts`): one statement serves all viewers of a process. A stream ends
 * when its client disconnects, after 15 minutes (the browser reconnects), on a graceful stop, and when the viewer may
 * no longer see the page.
 *
 * @module
 */
import { tooManyWaits } from "../../api/problems/call_refusals.ts";
import type { Viewers } from "../../feeds/viewers.ts";
import type { WaitPlace } from "../../feeds/waits.ts";
import type { Answer } from "../../http/answer.ts";
import { eventStream, eventText, KEEP_ALIVE } from "../../http/sse_body.ts";
import { SharedInterval } from "../../lib/shared_interval.ts";
import {
  FOLLOW_MS_MAX,
  IDLE_SECONDS_MAX,
  UNREAD_EVENT_MS_MAX,
  VIEWER_RECHECK_MS,
} from "../../limits.ts";

/** Sends a comment on every open stream each 15 seconds. */
const COMMENTS = new SharedInterval(15_000);
/** How soon a browser should connect again. */
const RECONNECT_MS = 2_000;
const VERSION = /^-?\d{1,19}$/;

/** What a page shows, and whether its viewer may still see it. */
export interface Watched {
  /** A feed's id, or the name of another topic of `Waits`. */
  readonly topic: string;
  /** The version that the page has. */
  readonly version: bigint;
  /** @param isMoved whether it has just changed, rather than that time has passed */
  isAllowed(isMoved: boolean): Promise<boolean>;
}

export interface Viewer {
  /** An account, or a network. */
  readonly who: string;
  readonly request: Request;
  readonly server: LiveServer | null | undefined;
}

interface LiveServices {
  readonly viewers: Viewers;
  readonly intervals: {
    /** Between two events of a page, at least, in milliseconds. */
    readonly rowEvents: number;
  };
}

/** The server, whose timeouts a stream outlives. */
export interface LiveServer {
  timeout(request: Request, seconds: number): void;
}

/** The events of a page. @throws {Problem} 429 if there are too many viewers */
export function liveEvents(services: LiveServices, watched: Watched, viewer: Viewer): Answer {
  const { who, request, server } = viewer;
  const place = services.viewers.enter(who, request.signal);
  if (place === undefined) throw tooManyWaits();
  // Comments are more frequent than any timeout. The stream itself disconnects a client that does not read.
  server?.timeout(request, 0);
  const events = changesOf(watched, place, services.intervals.rowEvents);
  return eventStream(events, {
    comments: COMMENTS,
    unreadMsMax: UNREAD_EVENT_MS_MAX,
    onEnd: () => {
      place.leave();
      // The client has this long to read the rest.
      server?.timeout(request, IDLE_SECONDS_MAX);
    },
  });
}

/** The version that a page has, as its script or a browser that connects again says it. Undefined if neither does. */
export function versionSeen({ headers, url }: Request): bigint | undefined {
  const text = headers.get("last-event-id") || new URL(url).searchParams.get("version");
  return text !== null && VERSION.test(text) ? BigInt(text) : undefined;
}

/** The address of a page's events. */
export function liveAddress(path: string, version: bigint): string {
  return `${path}?version=${version}`;
}

async function* changesOf(
  { topic, version, isAllowed }: Watched,
  place: WaitPlace,
  pauseMs: number,
): AsyncGenerator<string, void, void> {
  const endsMs = performance.now() + FOLLOW_MS_MAX;
  let seen = version;
  // Sent at once, so that the browser knows that it is connected.
  yield `retry: ${RECONNECT_MS}\n${KEEP_ALIVE}`;
  while (performance.now() < endsMs) {
    const end = await place.until({ feedId: topic, version: seen, msMax: VIEWER_RECHECK_MS });
    if (end === "gone" || end === "draining") return;
    const { movedTo } = place;
    const isMoved = end === "moved";
    if (!(await isAllowed(isMoved)) || (isMoved && movedTo === undefined)) {
      // A browser would connect again after a stream that only ends.
      yield eventText({ name: "end", data: "{}" });
      return;
    }
    if (!isMoved || movedTo === undefined) continue;
    seen = movedTo;
    yield eventText({ name: "changed", id: String(seen), data: "{}" });
    await Bun.sleep(pauseMs);
  }
}
