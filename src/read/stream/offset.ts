/**
 * Offsets: a follower's position in a stream, as a token that reveals nothing to it.
 *
 * An offset is bound to the feed. It contains a position and no state, so it survives a restart, a change of instance,
 * and the removal of nearby events.
 *
 * @module
 */
import { openToken, sealToken, type TokenOptions } from "../../lib/sealed_token.ts";

const POSITION_BYTES = 8;

export interface OffsetScope {
  readonly secret: string;
  readonly feedId: string;
}

/** `position` is that of the last event that was read or passed over. */
export function writeOffset(position: bigint, scope: OffsetScope): string {
  const payload = Buffer.alloc(POSITION_BYTES);
  payload.writeBigInt64BE(position);
  return sealToken(payload, optionsOf(scope));
}

/** Undefined if the token is not an offset of this feed. */
export function readOffset(token: string, scope: OffsetScope): bigint | undefined {
  return openToken(token, optionsOf(scope))?.readBigInt64BE();
}

function optionsOf({ secret, feedId }: OffsetScope): TokenOptions {
  return { secret, purpose: "stream offset", binding: feedId };
}
