/**
 * The address of a caller who may be behind trusted proxies (`FEEDGATE_TRUSTED_PROXIES`).
 *
 * Each proxy appends the address that called it to `X-Forwarded-For`. So only the right end of the header was written
 * by a trusted proxy, and everything left of the first address that isn't trusted may be forged.
 *
 * @module
 */
import { type BlockList, isIP } from "node:net";
import { isListed, plainAddress } from "../../lib/public_address.ts";
import { FORWARDED_ADDRESSES_MAX } from "../../limits.ts";

export interface Forwarding {
  /** The address that opened the connection. */
  readonly peer: string;
  /** The value of `X-Forwarded-For`, with several lines of it joined by commas. Null if it is missing. */
  readonly forwardedFor: string | null;
}

/**
 * Reads the header from the right, up to the first address that isn't trusted. An entry that isn't an address, such as
 * `unknown` or one with a port, ends this at the address to its right. If all addresses are trusted, returns the
 * leftmost one.
 */
export function callerAddress(
  { peer, forwardedFor }: Forwarding,
  trusted: BlockList | undefined,
): string {
  let address = plainAddress(peer);
  if (trusted === undefined || forwardedFor === null) return address;
  let end = forwardedFor.length;
  for (let read = 0; read < FORWARDED_ADDRESSES_MAX && isListed(trusted, address); read += 1) {
    // A negative position would be taken for the first one.
    const comma = end > 0 ? forwardedFor.lastIndexOf(",", end - 1) : -1;
    const entry = forwardedFor.slice(comma + 1, end).trim();
    if (isIP(entry) === 0) return address;
    address = plainAddress(entry);
    if (comma < 0) return address;
    end = comma;
  }
  return address;
}
