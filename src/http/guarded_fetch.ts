/**
 * Fetches a document from an untrusted address, without giving its author access to what only this machine can reach
 * (server-side request forgery).
 *
 * The host name is resolved once. If any of its addresses is not public, nothing is requested. The connection goes to
 * the address that was checked, so a name that later resolves to another address gains nothing. The certificate must
 * still match the name. Redirects are not followed. Size and time are bounded, and no credentials are sent.
 *
 * @module
 */
import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import type { GuardTrial } from "../config.ts";
import { isLoopbackAddress, isPublicAddress } from "../lib/public_address.ts";
import { within } from "../lib/within.ts";

export interface GuardedFetch {
  readonly bytesMax: number;
  /** For everything: resolving the name, connecting, and reading the document. */
  readonly msMax: number;
  /** `Accept` of the request, and the only media type allowed in the answer. */
  readonly mediaType: string;
  /** For tests, whose documents are on this machine, with their own certificate. */
  readonly trial?: GuardTrial | undefined;
}

/** `reason` completes the sentence "The document can't be had: …". */
export type Fetched =
  | { readonly kind: "fetched"; readonly text: string }
  | { readonly kind: "refused"; readonly reason: string };

/** The same reason for all hosts, so that the caller does not learn which names this machine can resolve. */
const OUT_OF_REACH = "its host can't be reached, or has an address that is not public";

/** Never rejects. `url` must be https. */
export async function fetchGuarded(url: URL, options: GuardedFetch): Promise<Fetched> {
  const giveUp = AbortSignal.timeout(options.msMax);
  let isOpen = false;
  const onOpen = () => {
    isOpen = true;
  };
  try {
    const asked = fetchChecked(url, options, { signal: giveUp, onOpen });
    const fetched = await within(asked, options.msMax);
    if (fetched !== "late") return fetched;
  } catch {
    if (!giveUp.aborted) return refused(OUT_OF_REACH);
  }
  return refused(isOpen ? "its host takes too long" : OUT_OF_REACH);
}

interface Connecting {
  readonly signal: AbortSignal;
  /** Called once all of the host's addresses are known to be public. */
  readonly onOpen: () => void;
}

async function fetchChecked(
  url: URL,
  options: GuardedFetch,
  { signal, onOpen }: Connecting,
): Promise<Fetched> {
  const { mediaType, bytesMax, trial } = options;
  if (url.protocol !== "https:") return refused("its URL is not https");
  const address = await findPublicAddress(url, { trial });
  if (address === undefined) return refused(OUT_OF_REACH);
  onOpen();
  const response = await callAddress(url, address, {
    trial,
    init: { headers: { Accept: mediaType, "Accept-Encoding": "identity" }, signal },
  });
  if (response.status !== 200) {
    await response.body?.cancel();
    return refused(`its host returned ${response.status} instead of 200`);
  }
  const type = response.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type !== mediaType) {
    await response.body?.cancel();
    return refused(`it is not ${mediaType}`);
  }
  const bytes = await readBounded(response, bytesMax);
  if (bytes === undefined) return refused(`it is larger than ${bytesMax} bytes`);
  return { kind: "fetched", text: new TextDecoder().decode(bytes) };
}

interface AddressGuard {
  readonly trial?: GuardTrial | undefined;
  /** Whether addresses that are not public may be called. @default false */
  readonly allowsPrivate?: boolean;
}

/** The address to connect to. Undefined if one of the host's addresses is not public. @throws if it does not resolve */
export async function findPublicAddress(
  url: URL,
  { trial, allowsPrivate = false }: AddressGuard,
): Promise<string | undefined> {
  const hostname = hostnameOf(url);
  const addresses = isIP(hostname) !== 0 ? [hostname] : await resolve(hostname, trial);
  const isOpen = (address: string) =>
    allowsPrivate ||
    isPublicAddress(address) ||
    (trial !== undefined && isLoopbackAddress(address));
  // A single non-public address is enough to refuse, because a name with both kinds is meant to deceive.
  return addresses.every(isOpen) ? addresses[0] : undefined;
}

interface PinnedCall {
  readonly init: RequestInit & { readonly headers: Readonly<Record<string, string>> };
  readonly trial?: GuardTrial | undefined;
}

/** Calls a URL at the address that was checked. Redirects are not followed, and no credentials are sent. */
export function callAddress(
  url: URL,
  address: string,
  { init, trial }: PinnedCall,
): Promise<Response> {
  const hostname = hostnameOf(url);
  const pinned = new URL(url);
  pinned.hostname = isIP(address) === 6 ? `[${address}]` : address;
  return fetch(pinned, {
    ...init,
    headers: { Host: url.host, ...init.headers },
    redirect: "manual",
    credentials: "omit",
    keepalive: false,
    tls: {
      ...(isIP(hostname) === 0 && { serverName: hostname }),
      ...(trial && { ca: trial.certificate }),
    },
  });
}

function hostnameOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, "$1");
}

async function resolve(
  hostname: string,
  trial: GuardTrial | undefined,
): Promise<readonly string[]> {
  if (trial?.resolve !== undefined) return trial.resolve(hostname);
  const found = await lookup(hostname, { all: true, verbatim: true });
  return found.map(({ address }) => address);
}

/** Undefined if there are more bytes. The rest is not read. */
export async function readBounded(
  response: Response,
  bytesMax: number,
): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    // Leaving the loop cancels the stream.
    if (bytes > bytesMax) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function refused(reason: string): Fetched {
  return { kind: "refused", reason };
}
