/**
 * One request, as plugins and handlers know it.
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

/** What plugins and handlers know of the server. */
export interface HttpContext {
  /** Public address without a trailing slash. */
  readonly baseUrl: () => string;
  /** True while the server stops: answers then ask the client to close its connection. */
  readonly isDraining: () => boolean;
  /** True while there are more connections than the process serves. */
  readonly isCrowded: () => boolean;
  /** If undefined, browser pages of other origins can read nothing. */
  readonly cors: Cors | undefined;
  /** Whether pages link to a console. */
  readonly hasConsole: boolean;
  readonly log: Log;
  /** Answers from this status on have a line in the log. */
  readonly loggedStatusMin: number;
  readonly metrics: Metrics;
  /**
   * Delays answers of 503. Clients that retry at once would otherwise keep the process busy with refusals: with
   * 10,000 such clients, good answers fell to a fiftieth.
   */
  readonly refusals: Throttle;
  /**
   * Delays the other refusals of an account. A client that sends bad requests on sixteen connections would
   * otherwise fill the event loop, and other clients' reads would take eight times as long.
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
  /** Account, feed and outcome, as far as they are known. They go to the log, not into the answer. */
  readonly subject: {
    accountId?: string;
    keyId?: string;
    feedId?: string;
    /** Of the problem that is answered. */
    code?: ProblemCode;
    /** Nano-dollars that this read was charged; 0 for a repeat. Undefined for calls that are never charged. */
    chargedNanos?: bigint;
    /** How long it waited for its feed to change, as it was asked to. */
    waitedMs?: number | undefined;
  };
}

/** A call with what only plugins need. */
export interface RoutedCall extends Call {
  readonly startedMs: number;
  /** Pattern of the route as Elysia has it: `/v1/feed/:id`. */
  readonly route: string;
  /** Whether the route needs a key: its answers are then private. */
  isKeyed: boolean;
  /** Asks the database whether the caller's key is usable now. Throws the problem if it is not. */
  proveKey: (() => Promise<void>) | undefined;
}

/** Gives `call` to every hook and handler. */
export function callPlugin() {
  return new Elysia({ name: "call" }).derive({ as: "global" }, ({ request, route }) => ({
    call: createCall(request, route),
  }));
}

/** The call of a request to the route with this pattern. */
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

/** `X-Request-Id`: the caller's own if its form is right, else a new one. Decisions 2. */
export function requestIdOf(headers: Headers): string {
  const own = headers.get("x-request-id");
  return own !== null && VISIBLE_ASCII.test(own) ? own : Bun.randomUUIDv7();
}
