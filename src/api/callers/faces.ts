/**
 * Identifies the requests that the console makes to the gateway's own API, for the audit trail. Outside callers can't
 * fake it, because a request is identified by the object itself, not by anything that it contains.
 *
 * @module
 */
import type { Face } from "../../accounts/actor.ts";

const consoleRequests = new WeakSet<Request>();

/** Marks a request as the console's own, and returns it. */
export function fromConsole(request: Request): Request {
  consoleRequests.add(request);
  return request;
}

/** The face that a request to a route of the API came through. */
export function faceOf(request: Request): Face {
  return consoleRequests.has(request) ? "console" : "api";
}
