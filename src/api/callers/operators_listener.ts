/**
 * Which requests came by the listener of operators (`FEEDGATE_ADMIN_PORT`). With such a listener, the public one has
 * neither what only operators use nor their sign-in; without one, it has all. Beyond 5.
 *
 * @module
 */
import { urlOf } from "../../http/query_string.ts";
import { isLoopbackAddress, isLoopbackHost } from "../../lib/public_address.ts";

/** The server that knows who sent a request. */
export interface Peer {
  requestIP(request: Request): { readonly address: string } | null;
}

/** A request, and the server that it came by. */
export interface Arrival {
  readonly request: Request;
  readonly server: Peer | null;
}

export class OperatorsListener {
  /** Whether there is one. */
  readonly isSeparate: boolean;
  /** Of each request that came by it, who sent it. */
  readonly #addresses = new WeakMap<Request, string>();

  constructor({ isSeparate }: { readonly isSeparate: boolean }) {
    this.isSeparate = isSeparate;
  }

  /** Notes a request that came by it, or that the gateway makes itself. */
  note(request: Request, server?: Peer): void {
    this.#addresses.set(request, server?.requestIP(request)?.address ?? "");
  }

  /** Whether the request came by a listener of its own. */
  isBy(request: Request): boolean {
    return this.#addresses.has(request);
  }

  /** Whether the request may reach what only operators use. */
  serves(request: Request): boolean {
    return !this.isSeparate || this.isBy(request);
  }

  /** The address of a caller; "" if nobody knows it. `server` is the public listener's. */
  addressOf(request: Request, server: Peer | null | undefined): string {
    return this.#addresses.get(request) ?? server?.requestIP(request)?.address ?? "";
  }
}

/** A proxy sets these headers, and its callers may be on any machine. */
const FORWARDING_HEADERS = ["forwarded", "x-forwarded-for", "x-real-ip", "via"];

/**
 * Whether a request comes from the machine itself, through no proxy, and asks for it: not by a name that somebody has
 * made point to it.
 */
export function isOwnMachine(request: Request, address: string): boolean {
  return (
    isLoopbackAddress(address) &&
    isLoopbackHost(urlOf(request).hostname) &&
    !FORWARDING_HEADERS.some((name) => request.headers.has(name))
  );
}
