/**
 * A resource whose JSON body is the same for every reader except for `_origin`: catalog, search, metadata.
 *
 * @module
 */
import type { Claim, Grant, Receipt, WindowState } from "../../admission/claims.ts";
import { limitHeaders, stateHeaders } from "../../api/callers/rate_headers.ts";
import { type Answer, CACHE_PRIVATE } from "../../http/answer.ts";
import { sharedHeaders } from "../../http/shared_headers.ts";
import { originText } from "./read_receipt.ts";
import type { Resource } from "./resource.ts";

/** A body as it was read. */
export interface Listing {
  /** The members of the body's JSON object other than `_origin`, as text. */
  readonly members: string;
  readonly tag: string;
  /** The version of the feed's row, for metadata. */
  readonly version: bigint | null;
}

/** Used in the body of HEAD, which is not sent. */
const NO_RECEIPT: Receipt = {
  usageId: "00000000-0000-0000-0000-000000000000",
  timestamp: "1970-01-01T00:00:00.000000Z",
  chargeNanos: 0n,
};

interface ListingSource<Found extends Listing> {
  /** Returns the listing at this version, or a cached one if the version is null. */
  read(version: bigint | null): Promise<Found>;
  /** What the caller sees of it, once it is decided that the caller may see it. @default all of it */
  shownOf?(listing: Found): Listing;
}

export function listingResource<Found extends Listing>(
  claim: Claim,
  { read, shownOf = (listing) => listing }: ListingSource<Found>,
): Resource {
  const feedId = claim.feed?.feedId ?? null;
  return {
    claim,
    async build(atLeast) {
      const listing = await read(atLeast);
      return {
        seen: null,
        version: listing.version,
        answer: ({ receipt, window }: Grant) =>
          answerOf(shownOf(listing), { receipt, window, feedId }),
      };
    },
    async describe(dataVersion) {
      const listing = shownOf(await read(dataVersion));
      return {
        seen: null,
        cachingHeaders: cachingHeaders(listing.tag),
        head: (window) => answerOf(listing, { receipt: NO_RECEIPT, window, feedId }),
      };
    },
  };
}

function answerOf(
  listing: Listing,
  of: { readonly receipt: Receipt; readonly window: WindowState; readonly feedId: string | null },
): Answer {
  const { receipt, window, feedId } = of;
  const { limit } = window;
  return {
    headers: stateHeaders(window, Date.now()),
    sharedHeaders: sharedHeaders(listing, String(limit), () => ({
      "Content-Type": "application/json",
      ...cachingHeaders(listing.tag),
      ...limitHeaders({ limit }),
    })),
    body: `{${listing.members},"_origin":${originText(receipt, feedId)}}`,
  };
}

function cachingHeaders(tag: string) {
  return { ETag: tag, "Cache-Control": CACHE_PRIVATE };
}
