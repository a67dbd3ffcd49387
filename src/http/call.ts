/**
 * One request on its way through its route: what the plugins and the handlers of all routes know of it.
 *
 * @module
 */
import { Elysia } from "elysia";
import type { Log } from "../lib/log.ts";
import type { Throttle } from "../lib/throttle.ts";
import type { Cors } from "./cors.ts";
import type { ProblemCode } from "./errors.ts";
import type { Metrics } from "./metrics.ts";
import { searchOf } from "./query_string.ts";
import { requestIdOf } from "./request_id.ts";

/** What the HTTP layer knows of the server it runs in. */
export interface HttpContext {
  /** Public address without a trailing slash. */
  readonly baseUrl: () => string;
  /** While true, answers ask the client to close its connection. */
  readonly isDraining: () => boolean;
  /** While true, there are more connections than are served. */
  readonly isCrowded: () => boolean;
  /** Undefined: pages of other origins read nothing. */
  readonly cors: Cors | undefined;
  readonly log: Log;
  readonly metrics: Metrics;
  /**
   * Answers of 503 take turns. Clients that ask again as soon as they are refused would otherwise keep
   * the process at refusing: with 10,000 of them good answers fell to a fiftieth.
   */
  readonly refusals: Throttle;
  /**
   * An account's other refusals take turns, too. A client that sends what is refused at once on sixteen
   * connections would otherwise fill the event loop, and others' reads would take eight times as long.
   */
  readonly refusalsOf: (accountId: string) => Throttle;
}

/** One request. */
export interface Call {
  readonly request: Request;
  readonly requestId: string;
  /** The query without `?`, raw. */
  readonly search: string;
  /** HEAD: every check of a GET, but uncharged and in a window of its own. */
  readonly isHead: boolean;
  /** Whose call, of which feed and with what outcome, as far as known: for the log, not the answer. */
  readonly subject: {
    accountId?: string;
    keyId?: string;
    feedId?: string;
    /** Of the problem that is answered. */
    code?: ProblemCode;
    /** Nano-dollars that this read moved: 0 for a repeat. Undefined for all that is not charged for. */
    chargedNanos?: bigint;
  };
}

/** What the plugins know beside it. */
export interface RoutedCall extends Call {
  readonly startedMs: number;
  /** Pattern of the route as Elysia has it: `/v1/feed/:id`. */
  readonly route: string;
  /** Whether the route needs a key: its answers are then private. */
  isKeyed: boolean;
  /** Asks the database whether the caller's key is usable now; throws the problem if it is not. */
  proveKey: (() => Promise<void>) | undefined;
}

/** Gives `call` to every hook and handler. */
export function callPlugin() {
  return new Elysia({ name: "call" }).derive({ as: "global" }, ({ request, route }) => ({
    call: createCall(request, route),
  }));
}

/** Of a request to the route with this pattern. */
export function createCall(request: Request, route: string): RoutedCall {
  return {
    request,
    requestId: requestIdOf(request.headers),
    search: searchOf(request.url),
    isHead: request.method === "HEAD",
    subject: {},
    startedMs: performance.now(),
    route,
    isKeyed: false,
    proveKey: undefined,
  };
}
