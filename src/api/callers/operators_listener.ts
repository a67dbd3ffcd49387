/**
 * Identifies requests that arrived at the operators' listener (`FEEDGATE_ADMIN_PORT`). If there is such a listener, the
 * public one serves neither operator routes nor operators' sign-in. Otherwise the public listener serves everything.
 *
 * It also finds the address of each caller, at either listener.
 *
 * @module
 */
import type { BlockList } from "node:net";
import { urlOf } from "../../http/query_string.ts";
import { isLoopbackAddress, isLoopbackHost } from "../../lib/public_address.ts";
import { callerAddress } from "./caller_address.ts";

/** The server that knows the sender of a request. */
export interface Peer {
  requestIP(request: Request): { readonly address: string } | null;
}

/** A request, and the server at which it arrived. */
export interface Arrival {
  readonly request: Request;
  readonly server: Peer | null;
}

interface OperatorsListenerOptions {
  /** Whether there is a separate operators' listener. */
  readonly isSeparate: boolean;
  /** Proxies whose `X-Forwarded-For` is read. Undefined for none. */
  readonly trustedProxies: BlockList | undefined;
}

export class OperatorsListener {
  /** Whether there is a separate operators' listener. */
  readonly isSeparate: boolean;
  readonly #trustedProxies: BlockList | undefined;
  /** The caller's address of each request that arrived there. */
  readonly #addresses = new WeakMap<Request, string>();

  constructor({ isSeparate, trustedProxies }: OperatorsListenerOptions) {
    this.isSeparate = isSeparate;
    this.#trustedProxies = trustedProxies;
  }

  /** Records a request that arrived there, or that the gateway makes itself. */
  note(request: Request, server?: Peer): void {
    this.#addresses.set(request, this.#find(request, server));
  }

  /** Whether the request arrived at a separate operators' listener. */
  isBy(request: Request): boolean {
    return this.#addresses.has(request);
  }

  /** Whether the request may use operator routes. */
  serves(request: Request): boolean {
    return !this.isSeparate || this.isBy(request);
  }

  /**
   * The address of a caller, or "" if it is unknown. Behind trusted proxies, it is the one that they report. `server` is
   * the public listener's.
   */
  addressOf(request: Request, server: Peer | null | undefined): string {
    return this.#addresses.get(request) ?? this.#find(request, server);
  }

  #find(request: Request, server: Peer | null | undefined): string {
    const peer = server?.requestIP(request)?.address ?? "";
    const forwardedFor = request.headers.get("x-forwarded-for");
    return callerAddress({ peer, forwardedFor }, this.#trustedProxies);
  }
}

/** A proxy sets these headers, and its callers may be on any machine. */
const FORWARDING_HEADERS = ["forwarded", "x-forwarded-for", "x-real-ip", "via"];

/**
 * Whether a request comes from this machine, through no proxy, and is addressed to a loopback host rather than a name
 * that resolves to one. Proxies may report any address, so a forwarded request never counts, whatever its `address`.
 */
export function isOwnMachine(request: Request, address: string): boolean {
  return (
    isLoopbackAddress(address) &&
    isLoopbackHost(urlOf(request).hostname) &&
    !FORWARDING_HEADERS.some((name) => request.headers.has(name))
  );
}
