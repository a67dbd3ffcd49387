/**
 * Which requests the console makes of the gateway's own API. The audit trail says so, and nobody outside can claim it:
 * a request is known by itself, and not by anything that it carries.
 *
 * @module
 */
import type { Face } from "../../accounts/actor.ts";

const consoleRequests = new WeakSet<Request>();

/** Marks a request as the console's own. Returns it. */
export function fromConsole(request: Request): Request {
  consoleRequests.add(request);
  return request;
}

/** The face that a request to a route of the API came through. */
export function faceOf(request: Request): Face {
  return consoleRequests.has(request) ? "console" : "api";
}
