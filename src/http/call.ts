/**
 * One request, as seen by plugins and handlers.
 *
 * @module
 */
import { Elysia } from "elysia";
import type { Log } from "../lib/log.ts";
import type { Throttle } from "../lib/throttle.ts";
import type { Cors } from "./cors.ts";
import type { Metrics } from "./metrics.ts";
import type { ProblemCode } from "./problem_details.ts";
import { searchOf } from "./query_string.ts";

const VISIBLE_ASCII = /^[\x21-\x7e]{1,128}$/;

/** The server, as seen by plugins and handlers. */
export interface HttpContext {
  /** Public address without a trailing slash. */
  readonly baseUrl: () => string;
  /** True while the server stops. Answers then ask the client to close its connection. */
  readonly isDraining: () => boolean;
  /** True if the connection of a request is about to be closed, because its listener has been replaced. */
  readonly isLeaving: (request: Request) => boolean;
  /** True while the process has more connections than it serves. */
  readonly isCrowded: () => boolean;
  /** If undefined, browser pages of other origins can't read any answer. */
  readonly cors: Cors | undefined;
  /** Whether pages link to a console. */
  readonly hasConsole: boolean;
  readonly log: Log;
  /** Answers with this status or a higher one are logged. */
  readonly loggedStatusMin: number;
  readonly metrics: Metrics;
  /** Records a span for an answer. Undefined if traces are off. */
  readonly trace: ((answer: AnsweredCall) => void) | undefined;
  /**
   * Delays answers with status 503. Otherwise clients that retry immediately would keep the process busy with refusals:
   * with 10,000 such clients, the rate of successful answers fell to a fiftieth.
   */
  readonly refusals: Throttle;
  /**
   * Delays the other refusals of an account. Otherwise a client that sends bad requests on sixteen connections would
   * fill the event loop, and other clients' reads would take eight times as long.
   */
  readonly refusalsOf: (accountId: string) => Throttle;
}

/** One request. */
export interface Call {
  readonly request: Request;
  readonly requestId: string;
  /** The query string without `?`, undecoded. */
  readonly search: string;
  /** HEAD: every check of a GET, but uncharged and counted in its own window. */
  readonly isHead: boolean;
  /** Account, feed, and outcome, as far as they are known. They appear in the log, not in the answer. */
  readonly subject: {
    accountId?: string;
    keyId?: string;
    feedId?: string;
    /** The code of the problem that is answered. */
    code?: ProblemCode;
    /** Nano-dollars that this read was charged, or 0 for a repeat. Undefined for calls that are never charged. */
    chargedNanos?: bigint;
    /** How long it waited for its feed to change, if the client asked for that. */
    waitedMs?: number | undefined;
  };
}

/** A call with the fields that only plugins need. */
export interface RoutedCall extends Call {
  readonly startedMs: number;
  /** Elysia's pattern of the route: `/v1/feed/:id`. */
  readonly route: string;
  /** Whether the route needs a key. If so, its answers are private. */
  isKeyed: boolean;
  /** Checks in the database whether the caller's key is usable now. Throws the problem if it is not. */
  proveKey: (() => Promise<void>) | undefined;
}

/** A call with its answer. */
export interface AnsweredCall {
  readonly call: Call;
  /** As in metrics: `/v1/feed/{id}`. */
  readonly route: string;
  readonly status: number;
  /** From the request to its answer. */
  readonly ms: number;
}

/** Adds `call` to the context of every hook and handler. */
export function callPlugin() {
  return new Elysia({ name: "call" }).derive({ as: "global" }, ({ request, route }) => ({
    call: createCall(request, route),
  }));
}

/** Creates the call of a request to the route with this pattern. */
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

/** `X-Request-Id`: the caller's own if it is 1 to 128 visible ASCII characters, else a new one. */
export function requestIdOf(headers: Headers): string {
  const own = headers.get("x-request-id");
  return own !== null && VISIBLE_ASCII.test(own) ? own : Bun.randomUUIDv7();
}
