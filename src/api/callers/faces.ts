/**
 * Identifies the requests that the console makes to the gateway's own API, for the audit trail. Outside callers can't
 * fake it, because a request is identified by the object itself, not by anything that it contains.
 *
 * @module
 */
import { type Actor, keyActor } from "../../accounts/actor.ts";

const consoleRequests = new WeakMap<Request, Actor>();

/** Marks a request as the console's own, made for a visitor, and returns it. */
export function fromConsole(request: Request, visitor: Actor): Request {
  consoleRequests.set(request, visitor);
  return request;
}

/** The console's visitor, for whom it sent the request. Undefined if somebody else sent it. */
export function visitorOf(request: Request): Actor | undefined {
  return consoleRequests.get(request);
}

/** The actor of a request with an account's key: the console's visitor if the console sent it, else the key. */
export function actorOf(request: Request, keyId: string): Actor {
  return visitorOf(request) ?? keyActor(keyId, "api");
}
