/**
 * The server context of the HTTP plugins, for tests of a plugin on its own.
 *
 * @module
 */
import type { HttpContext } from "../../src/http/call.ts";
import { Metrics } from "../../src/http/metrics.ts";
import { createLog } from "../../src/lib/log.ts";
import { createThrottle, createThrottles } from "../../src/lib/throttle.ts";

const THROTTLE = { perSecond: 10, burstMax: 1, waitSecondsMax: 5, waitingMax: 100 };

/** Its log is written to `lines`. */
export function createHttpContext(lines: string[] = []): HttpContext {
  return {
    baseUrl: () => "http://localhost",
    isCrowded: () => false,
    isDraining: () => false,
    isLeaving: () => false,
    cors: undefined,
    hasConsole: false,
    log: createLog({ level: "info", isReadable: false, write: (line) => lines.push(line) }),
    loggedStatusMin: 0,
    metrics: new Metrics(),
    trace: undefined,
    refusals: createThrottle(THROTTLE),
    refusalsOf: createThrottles(THROTTLE, 10),
  };
}
